# SPDX-License-Identifier: Apache-2.0
# The documentation's recipes for JSON run on every kind of source.
command -v jq >/dev/null || {
    echo "SKIPPED: no jq; scripts/install-deps test" >&2
    exit 77
}
"$PYTHON" "$CASE_DIR/recipes.py"
