# SPDX-License-Identifier: Apache-2.0
# The peak of heap and maps together, and that of the heap alone. Without the
# word that says so, peaks are of the heap, and those of maps are not known.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally map_peaks
tally report --peak a.tally
tally report --peak --kind=maps a.tally | sed -n '/^Anon/,$p'
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally map_peaks --poke 132=00
for file in a b; do
    tally report --json --peak $file.tally | grep peak_
done
tally report --peak b.tally | sed -n '/^  peak/,$p'
