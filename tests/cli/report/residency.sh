# SPDX-License-Identifier: Apache-2.0
# Stacks that keep pages resident, from a ledger that has them: as text, in
# another order, as JSON, and in a flame graph.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally residency
tally report --resident a.tally
echo "== as a tree"
tally report --reverse --sort=resident a.tally | head -9
echo "== for scripts"
tally report --resident --json a.tally | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
print(json.dumps(report["residency"], indent=1))
for row in report["sites"]:
    print({key: row[key] for key in row if key in (
        "resident_bytes", "slack_bytes", "freeable_bytes",
        "freeable_blocks")})
'
tally export --to=folded --value=resident-bytes a.tally
