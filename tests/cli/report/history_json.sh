# SPDX-License-Identifier: Apache-2.0
# Live bytes of each row over time, for each shown row; not for sums.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally history
tally report --json a.tally | sed -n '/"history"/,/^  }/p'
tally report --json --top=1 a.tally | sed -n '/"history"/,/^  }/p'
tally report --json --sum a.tally | sed -n '/"history"/,/^  }/p'
"$PYTHON" "$CASE_DIR/../make_ledger.py" plain.tally plain
tally report --json plain.tally | grep '"history"' || echo none
