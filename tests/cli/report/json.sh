# SPDX-License-Identifier: Apache-2.0
# Members that scripts rely on.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --json a.tally
