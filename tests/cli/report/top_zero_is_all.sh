# SPDX-License-Identifier: Apache-2.0
# No limit.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --top=0 a.tally | sed -n 3,8p
