# SPDX-License-Identifier: Apache-2.0
# A directory entry beyond the end.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --poke 0x1008=00000000000000f0
tally report a.tally
