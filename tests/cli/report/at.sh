# SPDX-License-Identifier: Apache-2.0
# Live bytes at a time: as a table, a tree and as JSON. The nearest data point
# is taken, and the report says how near it is.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally history
tally report --at=peak a.tally
tally report --at=300ms --reverse a.tally
TZ=UTC tally report --at='1970-01-01 00:00:02' --leaks a.tally
tally report --at=0.7 --json a.tally | sed -n '/"totals"/,/}/p; /"history"/,/^  }/p'
tally export --to folded --at=end a.tally
