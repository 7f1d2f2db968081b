# SPDX-License-Identifier: Apache-2.0
# heaptrack's own reader finds the same totals, peak, leaks and temporary
# blocks.
command -v heaptrack_print >/dev/null || {
    echo "SKIPPED: no heaptrack; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to heaptrack -o a.gz a.tally
heaptrack_print --print-leaks=1 a.gz
