# SPDX-License-Identifier: Apache-2.0
# Lost, missed and truncated records are in each format that can hold them.
"$PYTHON" "$CASE_DIR/../make_ledger.py" lossy.tally lossy
"$PYTHON" "$CASE_DIR/../make_ledger.py" cut.tally stacks
for ledger in lossy cut; do
    tally export --to heaptrack $ledger.tally | gzip -dc | grep "^#"
    tally export --to speedscope $ledger.tally >$ledger.json
    "$PYTHON" -c 'import json, sys
print(json.load(open(sys.argv[1]))["name"])' $ledger.json
    tally export --to svg $ledger.tally >$ledger.svg
    grep -a "^<desc>" $ledger.svg
    grep -a "^<text" $ledger.svg | tail -n 1
done
# A trace lacks what was skipped of it; its bytes are no ledger's.
printf '#m:0x10;0x6004-100\nnoise noise\n#m:0x20;0x6008-20\n#m:0x20' >damaged
tally export --to heaptrack damaged | gzip -dc | grep "^#"
tally export --to svg damaged | grep -a "^<desc>"
# A format that cannot hold them comes with a message.
"$PYTHON" "$CASE_DIR/../make_ledger.py" lost.tally plain --poke 536=0300000000000000
tally export --to folded lost.tally | wc -l
for format in svg pprof speedscope heaptrack; do
    tally export --to $format lost.tally 2>&1 >$format.out | sed "s/^/$format: /"
done
grep -ao "[^>]* lost or not recorded" svg.out
tally export --to svg lossy.tally | grep -ao ">not all[^<]*"
tally export --to svg damaged | grep -ao ">parts[^<]*"
tally top -n 1 lost.tally | grep lost
tally diff lost.tally lost.tally | tail -1
tally diff damaged damaged | tail -1
"$PYTHON" "$CASE_DIR/../make_ledger.py" less.tally stacks --poke 536=0300000000000000
tally diff --svg cut.tally less.tally | grep -ao ">a source lacks[^<]*"
tally diff --svg cut.tally cut.tally | grep -c ">a source lacks"
tally allocinfo lost.tally | wc -l
tally allocinfo damaged | wc -l
command -v go >/dev/null || {
    echo "SKIPPED: no go; scripts/install-deps test" >&2
    exit 77
}
tally export --to pprof -o lossy.pb.gz lossy.tally
go tool pprof -comments lossy.pb.gz
