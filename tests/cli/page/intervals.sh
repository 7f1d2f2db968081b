# SPDX-License-Identifier: Apache-2.0
# Intervals and lifetimes of a sampled ledger are those of the report.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally export --to html a.tally -o a.html 2>/dev/null
tally report --lifetimes --json a.tally >a.json
"$PYTHON" -B "$CASE_DIR/intervals.py" a.html a.json
