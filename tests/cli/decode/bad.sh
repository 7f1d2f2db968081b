# SPDX-License-Identifier: Apache-2.0
tally decode; echo "exit $?"
tally decode a b; echo "exit $?"
tally decode --what a; echo "exit $?"
cp "$CASE_DIR/../data/zpl-sample.txt" sample.txt
tally decode --elf=missing sample.txt; echo "exit $?"
tally decode --elf=sample.txt sample.txt; echo "exit $?"
