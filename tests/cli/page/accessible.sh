# SPDX-License-Identifier: Apache-2.0
# axe-core finds nothing to complain of, in any view, light and dark.
# needs: recorder
npm pack --silent --cache cache axe-core@4.10.3 >/dev/null 2>&1 || {
    echo "SKIPPED: no npm, or no axe-core for it; scripts/install-deps test" >&2
    exit 77
}
tar xzf axe-core-*.tgz package/axe.min.js
tally record -q -o a.tally -- "$BUILD_DIR/tests/recorder/bin/phases" >/dev/null
tally export --to html a.tally -o a.html
"$PYTHON" -B "$CASE_DIR/accessible.py" a.html package/axe.min.js
