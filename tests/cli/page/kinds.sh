# SPDX-License-Identifier: Apache-2.0
# Each kind of memory alone, in its colour; address space is in no sum of
# memory.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally kinds
tally export --to html a.tally -o a.html
"$PYTHON" -B "$CASE_DIR/kinds.py" a.html
