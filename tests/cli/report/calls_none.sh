# SPDX-License-Identifier: Apache-2.0
# A program that made no call leaves a trace of none.
# needs: recorder
tally record -q -o ledger --events=t.events -- true
: > t.events/stream
tally report t.events | head -n 1
tally report --json t.events | jq -c '.totals | [.allocations, .leaked_bytes]'
tally decode t.events
echo "decode $?"
tally decode --json t.events | jq -c .
tally diff --fail-over=0 t.events t.events | head -n 1
tally export --to=folded t.events
echo "export $?"
