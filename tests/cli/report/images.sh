# SPDX-License-Identifier: Apache-2.0
# Other images are listed, the damaged too, and foreign files are not.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-1 other
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/900-0 forked
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-0 other --cut 9
touch a.tally.d/notes a.tally.d/1-2x
tally report --full a.tally | sed -n "/ processes/,\$p"
tally report --json a.tally | sed -n "/\"images\": \\[/,\$p"
