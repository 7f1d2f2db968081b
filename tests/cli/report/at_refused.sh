# SPDX-License-Identifier: Apache-2.0
# Refused in one line each, with the valid range.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally history
"$PYTHON" "$CASE_DIR/../make_ledger.py" plain.tally plain
for time in 1.5s 3h 1999-12-31T23:59:59; do
    tally report --at=$time a.tally
    echo $?
done
for time in 1x -1 '' 1e3 nan 1999-12-31 99999999999999999999h; do
    tally report --at="$time" a.tally
    echo $?
done
tally report --between=1 a.tally
tally report --between=1,never a.tally
tally report --between=0.2,9 a.tally
tally report --between=0.2,end --peak a.tally
tally report --between=0.2,end - < a.tally
tally report --at=peak plain.tally
tally report --at=peak --all a.tally
tally report --at=peak --peak a.tally
cp "$CASE_DIR/../data/linux-7.3.4-load.txt" kernel.txt
tally report --at=peak kernel.txt
tally export --to folded --at=2h a.tally
