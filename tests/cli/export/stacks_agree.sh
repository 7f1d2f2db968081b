# SPDX-License-Identifier: Apache-2.0
# Every output of one ledger adds up to the same, by its own reader.
for reader in go heaptrack_print; do
    command -v $reader >/dev/null || {
        echo "SKIPPED: no $reader; scripts/install-deps test" >&2
        exit 77
    }
done
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/stacks_agree.py" a.tally
