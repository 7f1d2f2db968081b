# SPDX-License-Identifier: Apache-2.0
# Totals are known here, and places without a name.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally export --to folded a.tally
tally export --to folded --value=total-bytes a.tally
tally export --to folded --value=total-blocks a.tally
