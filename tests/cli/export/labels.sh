# SPDX-License-Identifier: Apache-2.0
# Pairs of labels are outermost frames; pprof has them as labels of samples.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally labels
tally export --to folded a.tally
command -v go >/dev/null || {
    echo "SKIPPED: no go; scripts/install-deps test" >&2
    exit 77
}
tally export --to pprof -o a.pb.gz a.tally
go tool pprof -raw a.pb.gz | sed -n '/^Samples/,/^Mappings/p'
go tool pprof -raw a.pb.gz | grep -c "tenant=a]"
