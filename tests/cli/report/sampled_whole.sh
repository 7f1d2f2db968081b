# SPDX-License-Identifier: Apache-2.0
# With each byte a sample nothing is uncertain.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled_whole
tally report --full a.tally
tally report --full --lifetimes --top=1 a.tally | sed -n 4,12p
