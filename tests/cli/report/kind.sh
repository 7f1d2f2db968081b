# SPDX-License-Identifier: Apache-2.0
# --kind: the heap, or maps, or both in the same trees.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
for kind in heap maps maps,heap heap,maps,heap; do
    echo "$kind"
    tally export --kind=$kind --to folded a.tally
    tally diff --kind=$kind a.tally b.tally | sed 2q
done
tally report --kind=maps --callers=app+0x1800 a.tally | sed -n '3,6p'
for kind in "" heaps heap, stacks; do
    tally report --kind=$kind a.tally
    echo $?
done
