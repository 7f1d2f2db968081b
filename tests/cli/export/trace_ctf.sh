# SPDX-License-Identifier: Apache-2.0
# Calls and regions as CTF and back again; with -o a folder, names in it.
cat > calls <<'EOF'
#m:0x20003240;0x600d-50
#r:0x20003300;0x6011-0x20003240;80
#c:0x20003400;0x6021-25;10
#m:0x0;0x6031-18446744073709551615
#f:0x0;0x602f-0x20003240
EOF
tally export --to=ctf -o calls.ctf calls
ls calls.ctf
tally decode calls.ctf | cmp - calls && echo "the same calls"
tally export --to=text calls.ctf | cmp - calls && echo "and lines"
tally export --to=ctf calls | tally decode - | cmp - calls && echo "and stream"
tally decode --json calls.ctf | jq -c '.[] | [.event, .time_ns]'
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=2 --step=1500 trace
"$PYTHON" "$CASE_DIR/../make_elf.py" 32 names.elf blinky@0x20010310+128 \
    blinky_stack@0x20011740+520 heap@0x20010048+24
tally export --to=ctf --elf=names.elf -o regions.ctf trace
tally decode regions.ctf > all
head -n 4 all
tally decode --elf=names.elf trace | cmp - all && echo "the same regions"
tally export --to=text trace | cat - calls | tally export --to=ctf -o both -
echo "both kinds: $?"
ls both
tally export --to=ctf -o calls calls
echo "existing: $?"
: > none
tally export --to=ctf -o none.ctf none
tally report none.ctf | head -n 1
