# SPDX-License-Identifier: Apache-2.0
# From the outermost call inwards.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --reverse a.tally | sed '/^Totals/,$d'
tally report --reverse --sort=total a.tally | sed '/^Totals/,$d'
