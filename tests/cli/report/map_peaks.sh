# SPDX-License-Identifier: Apache-2.0
# The peak of heap and maps together, and that of the heap alone. Without the
# word that says so, peaks are of the heap, and those of maps are not known.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally map_peaks
tally report --peak a.tally
tally report --peak --kind=maps a.tally | sed -n '/^Mmap/,$p'
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally map_peaks --poke 132=00
for file in a b; do
    tally report --json --peak $file.tally | grep peak_
done
tally report --peak b.tally | sed -n '/^  peak/,$p'
tally report --kind=files --json a.tally | sed -n '/"files"/,/peak_blocks/p'
tally report --kind=threads --json b.tally | sed -n '/"threads"/,/peak_blocks/p'
tally report a.tally | sed -n '/^Top/,/^$/p'
tally report --full a.tally | sed -n '/^File map/,/^Resident/p'
tally export --to=folded --kind=maps,files,threads a.tally
tally diff --kind=files,threads a.tally b.tally | head -3
