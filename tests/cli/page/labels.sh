# SPDX-License-Identifier: Apache-2.0
# A label leads to its stacks, and so does what has none.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally labels
tally export --to html -o a.html a.tally
"$PYTHON" -B "$CASE_DIR/labels.py" a.html
