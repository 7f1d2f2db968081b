# SPDX-License-Identifier: Apache-2.0
# A picture has no script and needs no other file.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to svg -o a.svg a.tally
xmllint --noout a.svg && echo well-formed
grep -ciE "<script| on[a-z]+=|href|url\(|@import|src=" a.svg
true
