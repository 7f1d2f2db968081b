# SPDX-License-Identifier: Apache-2.0
# What a browser shows, and what it does when it is clicked on.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to svg -o a.svg a.tally
"$PYTHON" "$CASE_DIR/../browse_picture.py" a.svg app+0x1200 peak-bytes read
