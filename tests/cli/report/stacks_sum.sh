# SPDX-License-Identifier: Apache-2.0
# Filters and --sum take their stacks along; --all does without a peak.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --module=libread.so.1 --sum a.tally | sed '/^Totals/,$d'
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-0 other
tally report --all a.tally | sed '/^Anonymous/,$d'
tally report --all --peak a.tally
echo $?
