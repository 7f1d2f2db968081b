# SPDX-License-Identifier: Apache-2.0
# A limit is a number.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --top=-1 a.tally
