# SPDX-License-Identifier: Apache-2.0
# The list shows what each program holds, renews itself, and keeps the focus;
# axe-core finds nothing to complain of. An end of the server is said.
# needs: recorder
npm pack --silent --cache cache axe-core@4.10.3 >/dev/null 2>&1 || {
    echo "SKIPPED: no npm, or no axe-core for it; scripts/install-deps test" >&2
    exit 77
}
tar xzf axe-core-*.tgz package/axe.min.js
"$PYTHON" -B "$CASE_DIR/list.py" "$TALLY" package/axe.min.js
