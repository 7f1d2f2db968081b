# SPDX-License-Identifier: Apache-2.0
# The filter of allocinfo; totals stay those of the whole.
cp "$CASE_DIR/../data/linux-7.3.4-load.txt" kernel.txt
tally report --file=mm/slub.c --min-size=1 kernel.txt
