# SPDX-License-Identifier: Apache-2.0
# A sum that would lack an image is refused.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-1 other --cut 9
tally report --all a.tally
