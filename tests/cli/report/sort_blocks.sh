# SPDX-License-Identifier: Apache-2.0
# Rows by blocks.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --sort=blocks a.tally | sed -n 3,7p
