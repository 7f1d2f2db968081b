# SPDX-License-Identifier: Apache-2.0
# Every output of one ledger, as in tests/golden/sampled.
command -v go >/dev/null || { echo "SKIPPED: no go; scripts/install-deps test" >&2; exit 77; }
"$CASE_DIR/outputs" sampled sampled got && diff -ru "$CASE_DIR/../../golden/sampled" got
