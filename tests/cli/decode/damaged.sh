# SPDX-License-Identifier: Apache-2.0
# Bytes of no event are skipped and reported; all others are decoded, with
# status 0.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=8 trace
echo "cut in the last event:"
head -c 700 trace > cut
tally decode cut 2>&1 | tail -n 2
echo "cut before the first:"
tail -c +8 trace > tail
tally decode tail 2>&1 > events; echo "exit $?"; wc -l < events
echo "noise in the middle:"
{ head -c 220 trace; head -c 50 /dev/zero; tail -c +221 trace; } > noise
tally decode noise 2>&1 > events; echo "exit $?"; wc -l < events
echo "an id changed:"
{ head -c 224 trace; printf x; tail -c +226 trace; } > changed
tally decode changed 2>&1 > events; echo "exit $?"; wc -l < events
tally decode --json changed 2> /dev/null > events
"$PYTHON" -c 'import json; print(len(json.load(open("events"))), "events")'
