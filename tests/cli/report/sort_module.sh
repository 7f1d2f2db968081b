# SPDX-License-Identifier: Apache-2.0
# Rows by module.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --sort=module a.tally | sed -n 3,7p
