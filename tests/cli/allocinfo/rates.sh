# SPDX-License-Identifier: Apache-2.0
# Averages over the time of the recording; 1 second here, and then 4.
$PYTHON $CASE_DIR/../make_ledger.py a.tally plain
tally allocinfo --rates a.tally
# The header's end_ns.
$PYTHON $CASE_DIR/../make_ledger.py b.tally plain --poke 88=00f2052a01000000
tally allocinfo --rates b.tally | sed -n '3,$p'
# Ended before it began: unknown.
$PYTHON $CASE_DIR/../make_ledger.py c.tally plain --poke 88=0100000000000000
tally allocinfo --rates c.tally
echo exit $?
tally report --json c.tally | grep duration_ns
# Running, read at its last sample.
$PYTHON $CASE_DIR/../make_ledger.py d.tally timeline --poke 84=00 --poke 88=0000000000000000
tally allocinfo --rates --totals d.tally | sed -n '3,$p'
$PYTHON $CASE_DIR/../make_ledger.py e.tally running
tally allocinfo --rates e.tally
echo exit $?
