# SPDX-License-Identifier: Apache-2.0
# A ledger without pages is reported as such, and sums of pages are refused.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --resident a.tally
echo $?
tally report --resident --leaks a.tally
echo $?
tally report --json a.tally | grep -c 'resident_bytes\|residency'
mkdir b.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally residency
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally.d/4300-0 other
tally report --resident --all b.tally
echo $?
