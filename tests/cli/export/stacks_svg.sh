# SPDX-License-Identifier: Apache-2.0
# A picture that needs no other file, and what its script makes of it.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to svg -o a.svg a.tally
xmllint --noout a.svg && echo well-formed
grep -ciE "href|url\(|@import|src=" a.svg
command -v node >/dev/null || {
    echo "SKIPPED: no node; scripts/install-deps test" >&2
    exit 77
}
node "$CASE_DIR/flame_page.js" a.svg app+0x1200 peak-bytes read
