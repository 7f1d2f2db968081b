# SPDX-License-Identifier: Apache-2.0
# A trace whose only packet is damaged: each command reports it in one line.
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x602f-0x20003240\n' >t
tally export --to=ctf -o calls t
"$PYTHON" "$CASE_DIR/../make_trace.py" --layout=1 bare
tally export --to=ctf -o regions bare
for trace in calls/stream regions/stream; do
    printf '\376' | dd of=$trace bs=1 seek=90 conv=notrunc status=none
done
for trace in calls calls/stream regions regions/stream; do
    for words in decode 'decode --json' report 'report --json' allocinfo \
        'export --to=text' 'export --to=tef' 'export --to=ctf -o out' \
        'export --to=folded' "diff t"; do
        tally $words $trace >out.txt 2>said
        echo "$? $(wc -l <said) $words $trace"
        grep -v 'no memory event' said out.txt
    done
done
exit 0
