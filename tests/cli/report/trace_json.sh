# SPDX-License-Identifier: Apache-2.0
"$PYTHON" "$CASE_DIR/../make_trace.py" --address=8 --rounds=6 --grow=100 trace
"$PYTHON" "$CASE_DIR/../make_elf.py" 64 names.elf blinky@0x20010310+128 \
    heap@0x20010048+24 slab@0x2001002c+28
head -c 400 trace > cut
tally report --elf=names.elf --json cut
