# SPDX-License-Identifier: Apache-2.0
# Two ledgers, and a ledger with its own text, spaces in names and all.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally forked
tally diff a.tally b.tally
tally allocinfo a.tally >a.txt
tally diff --top=0 a.tally a.txt
tally diff - a.tally <a.txt | sed -n 3p
