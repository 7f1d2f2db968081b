# SPDX-License-Identifier: Apache-2.0
# Growth by stack, as text, as JSON and as a picture.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks_later
tally diff a.tally b.tally
tally diff --top=1 --json a.tally b.tally
tally diff --svg a.tally b.tally >ab.svg
xmllint --noout ab.svg && echo well-formed
cat ab.svg
