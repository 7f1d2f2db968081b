# SPDX-License-Identifier: Apache-2.0
# Cut short behind the directory.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --cut 70000
tally report a.tally
