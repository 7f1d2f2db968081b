# SPDX-License-Identifier: Apache-2.0
# Stacks in go tool pprof, and its sums.
command -v go >/dev/null || {
    echo "SKIPPED: no go; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to pprof -o a.pb.gz a.tally
go tool pprof -raw a.pb.gz
for type in alloc_objects alloc_space inuse_objects inuse_space; do
    go tool pprof -sample_index=$type -unit=B -top a.pb.gz | grep -v "^Time"
done
tally export --to pprof a.tally | cmp - a.pb.gz && echo same
