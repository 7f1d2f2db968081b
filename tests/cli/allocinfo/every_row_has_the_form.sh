# SPDX-License-Identifier: Apache-2.0
# Also of names with spaces.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally allocinfo a.tally | tail -n +3 |
    grep -vcE '^ *-?[0-9]+ +[0-9]+ [^ ]+:[0-9]+ (\[[^ ]+\] )?func:[^ ]+ $'
true
