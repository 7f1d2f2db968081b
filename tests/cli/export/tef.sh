# SPDX-License-Identifier: Apache-2.0
# Zephelin's events, and behind them what regions and threads are called and the
# bytes of variables that are no region: 6,400 without 512, 4,096 and 952.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=2 trace
"$PYTHON" "$CASE_DIR/../make_elf.py" 32 names.elf blinky@0x20010310+128 \
    blinky_stack@0x20011740+520 'he"ap@0x20010048+24'
tally export --to=tef --elf=names.elf trace
