# SPDX-License-Identifier: Apache-2.0
# Rows by calls.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --sort=calls a.tally | sed -n 3,7p
