# SPDX-License-Identifier: Apache-2.0
# Metadata say what threads are called, which program wrote the trace and where
# it was loaded. Its file gives names unless it was built after the trace.
"$PYTHON" "$CASE_DIR/../make_trace.py" --address=8 --rounds=1 trace
tally capture trace -o folder/ 2> captured
"$PYTHON" "$CASE_DIR/../make_elf.py" 64pie program heap@0x48+24 \
    slab@0x2c+28 not_a_thread@0x20010310+8
sed "/^trace {/i env { program = \"$PWD/program\"; load_address = \"0x20010000\";\
 thread_536937232 = \"blinky\"; };" folder/metadata > metadata
mv metadata folder/metadata
touch -d '2020-01-01' program
tally decode folder
touch -d '2020-01-02' folder/metadata
touch -d '2020-01-03' program
tally decode folder | tail -n 1
tally decode --elf=program folder | tail -n 1
echo "a stream alone:"
tally decode --elf=program folder/channel0_0
