# SPDX-License-Identifier: Apache-2.0
# A foreign byte order.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --poke 12=01020304
tally report a.tally
