# SPDX-License-Identifier: Apache-2.0
# Sums of each module and each folder, by every command that shows rows.
cp "$CASE_DIR"/../data/*.txt .
$PYTHON -B "$CASE_DIR/groups.py" linux-7.3.4-boot.txt linux-7.3.4-load.txt
tally report --sum=folder --top=4 linux-7.3.4-load.txt
tally report --sum=module linux-7.3.4-load.txt | head -n 9
tally report --sum=folder:1 --file='drivers/*' linux-7.3.4-load.txt | sed -n 3,5p
tally report --sum=folder --min-size=900K linux-7.3.4-load.txt | sed -n 3,9p
tally allocinfo --sum=module linux-7.3.4-load.txt
tally allocinfo --sum=folder --module=ext2 linux-7.3.4-load.txt
tally diff --sum=folder --top=2 linux-7.3.4-boot.txt linux-7.3.4-load.txt
tally diff --sum=module linux-7.3.4-boot.txt linux-7.3.4-load.txt | tail -n +5
tally diff --file='fs/*' --sum=module linux-7.3.4-boot.txt linux-7.3.4-load.txt
tally top -n 1 -r 2 --sum=folder linux-7.3.4-load.txt
tally top -n 1 --sum=module --module=ext2 --function='ext2_*' --max-size=1G \
    linux-7.3.4-load.txt | tail -n +3
tally report --json --sum=module --module=brd linux-7.3.4-load.txt |
    sed -n '/_live"\|function/p'
for by in = =x =folder: =folder:0 =folder:x =module:1; do
    tally report --sum$by linux-7.3.4-load.txt
    echo "$by: $?"
done
# A ledger's, whose modules have paths; stacks are no part of a sum.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally plain
tally report --sum=module a.tally | sed -n '3,/^Totals/p'
tally report --sum=folder b.tally | sed -n '3,/^Totals/p'
tally allocinfo --sum=module b.tally
tally diff --sum=module a.tally b.tally | tail -n +5
tally report --sum=module --callers=f a.tally; echo "callers: $?"
tally top -n 1 --sum=module a.tally; echo "top: $?"
