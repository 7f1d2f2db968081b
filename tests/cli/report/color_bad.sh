# SPDX-License-Identifier: Apache-2.0
# There are three choices.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --color=pink a.tally
