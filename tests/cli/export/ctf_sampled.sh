# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A copy of a trace of samples says that it is one, however it was copied.
tally record -q -o a.tally --stacks=sampled --interval=4K --events=calls -- \
    "$PYTHON" -S -c 'x = [bytes(3000) for i in range(1000)]'
grep sample_interval calls/metadata
tally export --to ctf -o copy calls
grep sample_interval copy/metadata
tally export --to text -o text copy
head -n 1 text
tally export --to ctf -o again text
grep sample_interval again/metadata
for copy in calls copy text again; do
    tally report --json $copy | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
print(report["sampling"]["samples"] > 500, report["stacks"] > 0)'
done
