# SPDX-License-Identifier: Apache-2.0
# The last line is a command for the shell, whatever the file is called.
for name in plain "it's one" 123 -x; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" "./$name" plain
    tally report "./$name" | tail -1
done
tally report - <plain | tail -1
