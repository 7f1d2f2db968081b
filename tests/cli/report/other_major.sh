# SPDX-License-Identifier: Apache-2.0
# Another major version.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --poke 8=0200
tally report a.tally
