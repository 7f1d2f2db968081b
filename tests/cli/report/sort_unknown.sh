# SPDX-License-Identifier: Apache-2.0
# There are no other keys.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --sort=size a.tally
