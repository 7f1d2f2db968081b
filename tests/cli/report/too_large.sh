# SPDX-License-Identifier: Apache-2.0
# A file with much more in it than a ledger can hold is not read at all.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
truncate -s 1T a.tally
tally report a.tally
