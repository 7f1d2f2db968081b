# SPDX-License-Identifier: Apache-2.0
# What was lost, not seen or not followed is in each format that has a place for it.
"$PYTHON" "$CASE_DIR/../make_ledger.py" lossy.tally lossy
"$PYTHON" "$CASE_DIR/../make_ledger.py" cut.tally stacks
for ledger in lossy cut; do
    tally export --to heaptrack $ledger.tally | gzip -dc | grep "^#"
    tally export --to speedscope $ledger.tally >$ledger.json
    "$PYTHON" -c 'import json, sys
print(json.load(open(sys.argv[1]))["name"])' $ledger.json
    tally export --to svg $ledger.tally >$ledger.svg
    grep -a "^<desc>" $ledger.svg
    grep -a "<text id=.foot" $ledger.svg
done
command -v go >/dev/null || { echo "SKIPPED: no go; scripts/install-deps test" >&2; exit 77; }
tally export --to pprof -o lossy.pb.gz lossy.tally
go tool pprof -comments lossy.pb.gz
