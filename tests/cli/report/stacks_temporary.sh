# SPDX-License-Identifier: Apache-2.0
# Only what was freed at once has a row.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --temporary a.tally | sed '/^Totals/,$d'
