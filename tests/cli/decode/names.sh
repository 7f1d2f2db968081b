# SPDX-License-Identifier: Apache-2.0
# Variables of a program's file: at the address, or around it. A stack is called
# as its thread is. A number that is no thread's address names nothing.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=1 trace
for class in 32 64; do
    "$PYTHON" "$CASE_DIR/../make_elf.py" $class $class.elf \
        blinky_stack@0x20011740+512 blinky@0x20010310+128 \
        _ZN4pool4mainE@0x20010048+24 pair@0x20010440+64 slab@0x2001002c+28
    tally decode --elf=$class.elf trace
done
tally decode --elf=32.elf --json trace | grep -o '"name":.*'
"$PYTHON" "$CASE_DIR/../make_elf.py" 64 odd.elf 'a"b\c	d@0x2001002c+4'
tally decode --elf=odd.elf trace | tail -n 1
tally decode --elf=odd.elf --json trace | tail -n 2
