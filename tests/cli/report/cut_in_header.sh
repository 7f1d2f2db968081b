# SPDX-License-Identifier: Apache-2.0
# Cut short in the header.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --cut 100
tally report a.tally
