# SPDX-License-Identifier: Apache-2.0
# One sum, in which a call site of two images is one row.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-1 other
tally report --all a.tally
