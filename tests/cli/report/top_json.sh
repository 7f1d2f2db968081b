# SPDX-License-Identifier: Apache-2.0
# Scripts get what they ask for.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --json --top=1 a.tally | grep -c bytes_live
