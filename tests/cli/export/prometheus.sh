# SPDX-License-Identifier: Apache-2.0
# Figures of a program as metrics, which promtool takes.
for name in stacks sampled; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $name.tally $name
    tally export --to prometheus $name.tally | tee $name.prom
done
# The text has no totals, and no program.
tally export --to prometheus "$CASE_DIR/../data/linux-7.3.4-boot.txt" | tee allocinfo.prom |
    grep -v losses
tally export --to pprof --value=total-bytes -o a.pb.gz stacks.tally
for file in *.prom; do
    if command -v promtool >/dev/null; then
        promtool check metrics <$file || exit 1
    else
        echo "SKIPPED: no promtool; scripts/install-deps test" >&2
        exit 77
    fi
done
command -v go >/dev/null || {
    echo "SKIPPED: no go; scripts/install-deps test" >&2
    exit 77
}
go tool pprof -top a.pb.gz | grep ^Type
