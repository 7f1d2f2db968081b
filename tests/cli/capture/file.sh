# SPDX-License-Identifier: Apache-2.0
# Files, pipes and standard input are kept byte for byte, whatever is in them.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=500 trace
tally capture trace -o kept && cmp trace kept
tally capture - -o input < trace && cmp trace input
cat trace | tally capture - -o piped && cmp trace piped
mkfifo pipe
{ cat trace; head -c 9 trace; } > pipe &
tally capture pipe -o fifo; cat trace | cmp -n 44000 fifo -
echo "some words" > words
tally capture words -o other && cmp words other
tally capture trace -o - | tally decode - | tail -n 1
