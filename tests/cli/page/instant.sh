# SPDX-License-Identifier: Apache-2.0
# With --at all views are of that instant; what a fork handed down is in the
# history.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally history
for at in 0.5s end; do
    tally export --to html --at=$at a.tally -o $at.html 2>/dev/null
    tally report --json --at=$at a.tally >$at.json 2>/dev/null
    "$PYTHON" -B "$CASE_DIR/instant.py" $at.html $at.json
done
tally export --to html a.tally -o all.html
tally report --json a.tally >all.json
"$PYTHON" -B "$CASE_DIR/instant.py" all.html all.json
