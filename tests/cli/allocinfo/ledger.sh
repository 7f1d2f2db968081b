# SPDX-License-Identifier: Apache-2.0
# The text of a ledger, to the byte.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally allocinfo a.tally | cat -A
