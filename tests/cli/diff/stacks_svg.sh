# SPDX-License-Identifier: Apache-2.0
# A picture has no script and needs no other file.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
tally diff --svg a.tally b.tally > ab.svg
xmllint --noout ab.svg && echo well-formed
grep -ciE "<script| on[a-z]+=|href|url\(|@import|src=" ab.svg
true
