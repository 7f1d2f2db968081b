# SPDX-License-Identifier: Apache-2.0
# A sampled ledger in go tool pprof: estimates, and the period.
command -v go >/dev/null || {
    echo "SKIPPED: no go; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally export --to pprof -o a.pb.gz a.tally
go tool pprof -raw a.pb.gz | sed '/^Locations/,$d'
