# SPDX-License-Identifier: Apache-2.0
# A trace of a program says what the ledger of the same run says: allocations,
# bytes, leaks and each site, and the peak within 1 %; as text and as CTF.
# needs: recorder
gcc -O1 -pthread -o moving_threads "$CASE_DIR/moving_threads.c"
export MALLOC_ARENA_MAX=1
"$PYTHON" -B "$CASE_DIR/calls_recorded.py"
# The ledger beside a folder names the callers; lines stay as they are.
has() {
    grep -q "$1" && echo "has $1"
}
tally report threads.events | has '  0x.*  -$'
tally report --elf=threads.events.tally threads.events | has 'moving_threads$'
mv threads.events both.events
mv threads.events.tally both.tally
tally report both.events | has 'moving_threads$'
tally decode both.events | head -n 1 | has '^#[mrcf]:[^ ]*$'
tally decode --json both.events | has '"function":"run"'
