# SPDX-License-Identifier: Apache-2.0
# Rows by live bytes, ids of one place as one row, maps apart.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --full a.tally
