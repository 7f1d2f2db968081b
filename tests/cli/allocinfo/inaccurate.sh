# SPDX-License-Identifier: Apache-2.0
# A ledger that lost something says so of every row, and of torn ones.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally running
tally allocinfo --format=2.0 a.tally | tail -n +3
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally plain --poke 536=0100000000000000
tally allocinfo --format=2.0 --inaccurate b.tally | tail -n +3
