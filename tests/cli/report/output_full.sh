# SPDX-License-Identifier: Apache-2.0
# Output that cannot be written is no success.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report a.tally >/dev/full
