# SPDX-License-Identifier: Apache-2.0
# Samples say what is there about, and how well they know.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally report --full a.tally
