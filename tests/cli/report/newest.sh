# SPDX-License-Identifier: Apache-2.0
# Without a source the report is of the newest recording in the folder.
"$PYTHON" "$CASE_DIR/../make_ledger.py" old.1.tally plain
"$PYTHON" "$CASE_DIR/../make_ledger.py" new.2.tally stacks
touch -d '2026-01-01 12:00:00.5' old.1.tally
touch -d '2026-01-01 12:00:00.6' new.2.tally
echo text >text.tally
mkdir folder.tally
mkfifo pipe.tally
cp old.1.tally .tally
tally report --leaks | diff - - <<END
$(tally report --leaks new.2.tally)
END
rm new.2.tally
tally report --json | grep '"pid"'
