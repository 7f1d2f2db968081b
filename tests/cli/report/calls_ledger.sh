# SPDX-License-Identifier: Apache-2.0
# The ledger of the same run knows where all files were loaded; of addresses
# that two files had one after the other, the one that still is there counts.
"$PYTHON" "$CASE_DIR/../make_ledger.py" ledger plain
printf '#m:0x10;0x555555555139-100\n#m:0x20;0x7ffff7001234-20\n' > t
printf '#m:0x30;0x6000-9\n' >> t
tally report --elf=ledger t | sed -n 3,6p
tally report t | tail -n 1
"$PYTHON" "$CASE_DIR/../make_ledger.py" reloaded reloaded
printf '#m:0x10;0x200010-1\n#m:0x20;0x300010-2\n#m:0x30;0x100010-3\n' > t
tally report --elf=reloaded t | sed -n 3,6p
tally decode --elf=ledger t
tally export --to folded --elf=ledger t
head -c 100 ledger > cut
tally report --elf=cut t
true
