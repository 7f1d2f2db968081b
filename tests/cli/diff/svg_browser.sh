# SPDX-License-Identifier: Apache-2.0
# A browser shows tooltips, letters of a readable size, and dark colours.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
tally diff --svg a.tally b.tally >ab.svg
"$PYTHON" "$CASE_DIR/../browse_picture.py" ab.svg app+0x1200
