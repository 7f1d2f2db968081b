# SPDX-License-Identifier: Apache-2.0
# Captures appended to one file are all read, in any layout, with text between
# them; only other bytes are counted.
make="$PYTHON $CASE_DIR/../make_trace.py --rounds=10 --grow=1"
for layout in 1 2 3; do $make --layout=$layout $layout; done
$make --address=8 wide
tally export --to ctf -o packets ./1 && cp packets/stream packed
cp "$CASE_DIR/../data/zpl-sample.txt" text
for first in 1 2 3 wide packed text; do
    for second in 1 2 3 wide packed text; do
        cat $first $second text > row
        lines=$(tally decode row 2> told | wc -l)
        each=$(for part in $first $second text; do tally decode ./$part; done | wc -l)
        [ "$lines" = "$each" ] && [ ! -s told ] || echo "$first $second: $lines of $each, $(cat told)"
    done
done
echo "with noise:"
{ cat text; printf 'noise\0\001\002zz'; cat 1; printf '\377%.0s\0' 1 2 3 4 5; cat text; } > noisy
tally decode noisy 2>&1 > /dev/null
echo "more text than a block:"
{ cat 3; "$PYTHON" -c 'print("a line that the console shows\n" * 20000)'; cat text 2; } > long
tally decode long | wc -l
