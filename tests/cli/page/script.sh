# SPDX-License-Identifier: Apache-2.0
# A script that gets into the page does not run, with the page's own attributes
# as well: the policy names the hash of the one script.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to html -o a.html a.tally
"$PYTHON" -B "$CASE_DIR/script.py" a.html
