# SPDX-License-Identifier: Apache-2.0
# Sources without stacks, too.
command -v heaptrack_print >/dev/null || {
    echo "SKIPPED: no heaptrack; scripts/install-deps test" >&2
    exit 77
}
for scenario in plain forked negative; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $scenario.tally $scenario
    tally export --to heaptrack -o $scenario.gz $scenario.tally
    heaptrack_print $scenario.gz | tail -6
done
