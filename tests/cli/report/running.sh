# SPDX-License-Identifier: Apache-2.0
# A torn reading is shown as 0 and told.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally running
tally report --full a.tally
