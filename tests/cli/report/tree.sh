# SPDX-License-Identifier: Apache-2.0
# Images as a tree: below what started them, and what became another by exec;
# also where that cannot be. --process names one, in every command.
ledger() { # FILE PID PARENT START
    "$PYTHON" "$CASE_DIR/../make_ledger.py" "$1" plain --poke 56="$(
        "$PYTHON" -c 'import struct, sys
print(struct.pack("<IIQ", *map(int, sys.argv[1:])).hex())' "$2" "$3" "$4")"
}
mkdir a.tally.d
ledger a.tally 10 1 1000
ledger a.tally.d/10-1 10 1 1100
ledger a.tally.d/10-2 10 1 1500
ledger a.tally.d/20-0 20 10 1200
ledger a.tally.d/20-1 20 10 1300
ledger a.tally.d/21-0 21 20 1250
ledger a.tally.d/22-0 22 20 1350
ledger a.tally.d/5-0 5 10 1600
ledger a.tally.d/30-0 30 99 1400
ledger a.tally.d/40-0 40 41 1700
ledger a.tally.d/41-0 41 40 1700
ledger a.tally.d/50-0 50 50 1800
tally report --full a.tally | sed -n '/ processes/,$p'
echo "-- one by its number"
tally report --json --process=20-1 a.tally | grep -A 1 '"process"'
tally report --json --process=10 a.tally | grep -A 1 '"process"'
tally diff --json --process=22 a.tally a.tally >/dev/null && echo same
tally export --to=folded --process=5 a.tally | head -n 1
tally allocinfo --process=5 a.tally | head -n 1
echo "-- none"
tally export --to=folded --process=5-1 a.tally
tally allocinfo --process=5 --all a.tally
tally report --json --process=app a.tally.d/5-0 | grep -A 1 '"process"'
