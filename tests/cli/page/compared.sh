# SPDX-License-Identifier: Apache-2.0
# A comparison shows the chosen figure of any value, whichever its page began
# with; rows without callers have modules and files in their place. With samples
# it has the intervals of the comparison and of both reports.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
for value in live total blocks; do
    tally diff --html --value=$value a.tally b.tally >$value.html
    tally diff --json --value=$value a.tally b.tally >$value.json
    "$PYTHON" -B "$CASE_DIR/compared.py" $value.html $value.json
done
"$PYTHON" -B "$CASE_DIR/compared.py" total.html#live live.json
"$PYTHON" -B "$CASE_DIR/compared.py" live.html#total total.json
boot=$CASE_DIR/../data/linux-7.3.4-boot.txt
load=$CASE_DIR/../data/linux-7.3.4-load.txt
tally diff --html "$boot" "$load" >kernel.html
tally diff --json "$boot" "$load" >kernel.json
"$PYTHON" -B "$CASE_DIR/compared.py" kernel.html kernel.json
"$PYTHON" "$CASE_DIR/../make_ledger.py" c.tally sampled
"$PYTHON" "$CASE_DIR/../make_ledger.py" d.tally sampled_later
exec 2>errors # where they are called estimates
tally report --json c.tally >c.json
tally report --json d.tally >d.json
for value in total blocks; do
    tally diff --html --kind=heap --value=$value c.tally d.tally >$value.html
    tally diff --json --kind=heap --value=$value c.tally d.tally >$value.json
    "$PYTHON" -B "$CASE_DIR/compared.py" $value.html $value.json c.json d.json
done
"$PYTHON" -B "$CASE_DIR/compared.py" total.html#blocks blocks.json c.json d.json
# One process read twice: counters only grow, and blocks of both cancel.
tally diff --html --kind=heap c.tally c.tally >same.html
for value in live total blocks; do
    tally diff --json --kind=heap --value=$value c.tally c.tally >$value.json
    "$PYTHON" -B "$CASE_DIR/compared.py" same.html#$value $value.json \
        c.json c.json || exit 1
done
