# SPDX-License-Identifier: Apache-2.0
# A damaged ledger.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --poke 32=00000000
tally allocinfo a.tally
