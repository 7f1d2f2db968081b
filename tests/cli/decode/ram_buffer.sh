# SPDX-License-Identifier: Apache-2.0
# A buffer in memory that was not filled ends in zeros, which are no loss; zeros
# before an event are.
make="$PYTHON $CASE_DIR/../make_trace.py --rounds=9"
for layout in 1 2 3; do
    $make --layout=$layout trace
    for zeros in 14 100 5000; do
        { cat trace; head -c $zeros /dev/zero; } > buffer
        tally decode buffer > events
        wc -l < events
    done
    { cat buffer; cat trace; } > two
    tally decode two | wc -l
    tally capture buffer -o folder/
    tally decode folder | cmp - events
    rm -r folder
done
# The last event is of another kind, and the buffer large.
"$PYTHON" -c 'import struct, sys
for n in range(40):
    for event in struct.pack("<IBBIIII", n, 0xEE, 1, 0x20000000, n, 99 - n, 0), struct.pack("<IB", n, 0x1C):
        sys.stdout.buffer.write(event)
sys.stdout.buffer.write(bytes(60000))' > idle
tally decode idle | wc -l
tally report idle | grep -E "events|skipped"
