# SPDX-License-Identifier: Apache-2.0
# Two rows, and the rest in one.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --top=2 a.tally | sed -n 3,6p
