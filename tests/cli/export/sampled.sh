# SPDX-License-Identifier: Apache-2.0
# Exports have estimates, and say so.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally export --to folded a.tally
tally export --to folded --value=total-blocks a.tally
tally diff a.tally a.tally
tally allocinfo a.tally
