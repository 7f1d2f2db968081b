# SPDX-License-Identifier: Apache-2.0
# From 200 ms on a page shows what part of its data is read.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to html -o a.html a.tally
"$PYTHON" -B "$CASE_DIR/progress.py" a.html
