# SPDX-License-Identifier: Apache-2.0
# Order by each figure; a column comes with the order that needs it. Figures
# that a source lacks are refused.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
for order in peak temporary growth blocks; do
    tally top -n 1 -r 2 -s $order a.tally | sed -n '4,$p'
done
tally top -n 1 -r 1 --focus='pool_*' a.tally | sed -n '4,$p'
tally top -n 1 -r 1 --leaf a.tally | sed -n '4,$p'
for order in peak resident; do
    tally top -n 1 -s $order "$CASE_DIR/../data/linux-7.3.4-boot.txt"
    echo "$order: $?"
done
