# SPDX-License-Identifier: Apache-2.0
# A ledger with stacks: a row for each call site, the sum of its stacks.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally top -n 1 a.tally
for kind in maps heap; do
    tally top -n 1 --kind=$kind a.tally | sed -n "4,6p"
done
