# SPDX-License-Identifier: Apache-2.0
# A browser shows tooltips, letters of a readable size, and dark colours.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to svg -o a.svg a.tally
"$PYTHON" "$CASE_DIR/../browse_picture.py" a.svg app+0x1200
