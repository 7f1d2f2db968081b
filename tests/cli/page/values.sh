# SPDX-License-Identifier: Apache-2.0
# Each figure in the table, to the unit, and their sums are those of the report.
# needs: recorder
tally record -q -o a.tally -- "$BUILD_DIR/tests/recorder/bin/phases" >/dev/null
tally export --to html a.tally -o a.html
tally report --json a.tally >a.json
"$PYTHON" -B "$CASE_DIR/values.py" a.html a.json
