# SPDX-License-Identifier: Apache-2.0
# A picture that needs no other file, and what its script makes of it.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
tally diff --svg a.tally b.tally > ab.svg
xmllint --noout ab.svg && echo well-formed
grep -ciE "href|url\(|@import|src=" ab.svg
command -v node >/dev/null || {
    echo "SKIPPED: no node; scripts/install-deps test" >&2
    exit 77
}
node "$CASE_DIR/../export/flame_page.js" ab.svg app+0x1200 - read
