# SPDX-License-Identifier: Apache-2.0
# Only what lives at the end has a row.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --leaks a.tally | sed '/^Totals/,$d'
