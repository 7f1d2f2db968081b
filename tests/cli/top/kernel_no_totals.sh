# SPDX-License-Identifier: Apache-2.0
# There is nothing to sort by.
tally top -n 1 -s total "$CASE_DIR/../data/linux-7.3.4-boot.txt"
