# SPDX-License-Identifier: Apache-2.0
# needs: recorder
tally record -o out.tally -- /bin/echo "only this" 2> words
tally record -q -o quiet.tally -- /bin/echo "and this"
cut -d' ' -f1 words | sort -u
tally report --json out.tally | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["totals"]["allocations"] > 0)'
