# SPDX-License-Identifier: Apache-2.0
# A dash is standard input.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --full - <a.tally | sed -n 1p
