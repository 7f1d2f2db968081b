# SPDX-License-Identifier: Apache-2.0
# Sums that do not fit into 64 bits are refused by all that adds rows up, with
# the line; the largest that fits is right, and rows alone are copied.
rows() {
    for row; do echo "$row func:f "; done >rows.txt
}
each() {
    tally report rows.txt 2>&1 | sed -n '/  live\|^tally/p'
    tally report --json rows.txt 2>/dev/null | sed -n '/leaked\|_allocated/p'
    tally report --sum rows.txt >out 2>&1; echo "report --sum: $?"
    tally allocinfo --sum rows.txt >out 2>&1; echo "allocinfo --sum: $?"
    tally allocinfo rows.txt >out 2>&1; echo "allocinfo: $?"
    tally top -n 1 rows.txt 2>&1 | sed -n '2p;/^tally/p'
    tally diff none.txt rows.txt 2>&1 | sed -n '2,3p;/^tally/p'
    for format in folded svg pprof speedscope heaptrack; do
        tally export --to $format rows.txt >out 2>&1; echo "$format: $?"
    done
}
echo "0 0 z.c:1 func:z " >none.txt
echo "== bytes"
rows "4611686018427387904 1 a.c:1" "4611686018427387903 1 a.c:2"
each
rows "4611686018427387904 1 a.c:1" "4611686018427387904 1 a.c:2"
each
echo "== below 0, and not set off against what is above"
rows "-9223372036854775808 1 a.c:1" "9223372036854775807 1 a.c:2" \
    "-1 1 a.c:3"
each
echo "== blocks"
rows "1 9223372036854775807 a.c:1" "1 18446744073709551615 a.c:2" \
    "1 1 a.c:3"
tally report rows.txt; echo $?
echo "== totals"
total() {
    echo "1 1 a.c:1 func:f total_calls:$1 total_bytes:$2 "
}
{ total 1 9223372036854775806; total 1 1; } >rows.txt
tally report rows.txt | sed -n '/allocated/p'
tally export --to folded --value=total-bytes rows.txt
{ total 1 9223372036854775806; total 1 2; } >rows.txt
tally report rows.txt; echo $?
tally export --to pprof rows.txt; echo $?
total 18446744073709551615 1 >rows.txt
tally report rows.txt; echo $?
echo "== a difference"
echo "9223372036854775807 1 a.c:1 func:f " >rows.txt
echo "-1 1 a.c:2 func:f " >less.txt
tally diff less.txt rows.txt; echo $?
tally diff rows.txt less.txt; echo $?
tally diff none.txt rows.txt | sed -n 3p
tally diff --json rows.txt none.txt | sed -n '/"growth"/,/blocks/p'
echo "== what a forked child holds, as text"
"$PYTHON" "$CASE_DIR/../make_ledger.py" child.tally forked
tally allocinfo --totals child.tally >child.txt
tally report --json child.txt | sed -n '/"frees"/p;/inherited"/p' | head -n 3
echo "== a trace"
printf '#m:0x10;0x6004-9223372036854775800\n#m:0x20;0x6008-7\n' >trace
tally report trace | sed -n '/bytes allocated/p'
printf '#m:0x30;0x6008-1\n#c:0x40;0x6008-0;9\n' >>trace
tally report trace | sed -n '/  bytes allocated/,/live bytes/p;/left out/p'
