# SPDX-License-Identifier: Apache-2.0
# A comparison is of the figure that was chosen; rows without callers have
# modules and files in their place.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
for value in live total blocks; do
    tally diff --html --value=$value a.tally b.tally >$value.html
    tally diff --json --value=$value a.tally b.tally >$value.json
    "$PYTHON" -B "$CASE_DIR/compared.py" $value.html $value.json
done
boot=$CASE_DIR/../data/linux-7.3.4-boot.txt
load=$CASE_DIR/../data/linux-7.3.4-load.txt
tally diff --html "$boot" "$load" >kernel.html
tally diff --json "$boot" "$load" >kernel.json
"$PYTHON" -B "$CASE_DIR/compared.py" kernel.html kernel.json
