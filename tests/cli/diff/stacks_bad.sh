# SPDX-License-Identifier: Apache-2.0
# A source without stacks is compared by place, and has no picture.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks
tally diff --svg a.tally b.tally
echo $?
tally diff a.tally b.tally | grep -c "by stack"
tally diff --json a.tally b.tally | grep -c '"stacks"'
true
