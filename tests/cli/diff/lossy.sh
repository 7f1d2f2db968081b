# SPDX-License-Identifier: Apache-2.0
# A ledger that was read while it changed.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally running
tally diff a.tally a.tally
