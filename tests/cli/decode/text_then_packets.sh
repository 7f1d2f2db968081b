# SPDX-License-Identifier: Apache-2.0
# A console that goes over to binary: both come out, whichever the binary is, and
# what is neither is told of. A disturbance is none.
# needs: recorder
cp "$CASE_DIR/../data/zpl-sample.txt" sample.txt
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=3 stream
cat sample.txt stream > both
tally decode both > all
wc -l < all
tally decode sample.txt | cat - stream > again
tally decode again | cmp - all && echo "the same"
printf '#m:0x10;0x6004-100\n' > call
tally record -q -o ledger --events=t.events -- ls > names
tally decode t.events > of_calls
cat call t.events/stream | tally decode - | tail -n +2 | cmp - of_calls && echo "calls, too"
head -c 300 t.events/stream | tally decode - > cut 2> err
grep -c "1 packet is cut off" err
head -n "$(wc -l < cut)" of_calls | cmp - cut && echo "and their beginning"
(cat call; head -c 1000 /dev/zero) > zeros
tally decode zeros
printf '#m:0x10;0x6004-100\nglitch\0\0\n#f:0x0;0x6008-0x10\n' | tally decode -
