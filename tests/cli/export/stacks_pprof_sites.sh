# SPDX-License-Identifier: Apache-2.0
# Sources without stacks and without totals, too.
command -v go >/dev/null || {
    echo "SKIPPED: no go; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally export --to pprof -o a.pb.gz a.tally
go tool pprof -raw a.pb.gz | sed '/^Time/d'
cp "$CASE_DIR/../data/linux-7.3.4-load.txt" kernel.txt
tally export --to pprof -o kernel.pb.gz kernel.txt
go tool pprof -unit=B -top kernel.pb.gz | sed -n '/^Type/p;/^Duration/p;/flat/,$p' | head -4
awk 'NR > 2 { sum += $1 } END { print sum }' kernel.txt
