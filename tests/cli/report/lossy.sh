# SPDX-License-Identifier: Apache-2.0
# Each loss and notice is a sentence; nothing steers the terminal.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally lossy
tally report --full a.tally
