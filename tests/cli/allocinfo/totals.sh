# SPDX-License-Identifier: Apache-2.0
# Version 2.0 has room for all that was ever allocated.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally allocinfo --format=2.0 a.tally | cat -A
tally allocinfo --totals a.tally | tee totals.txt | cat -A
tally allocinfo totals.txt | cmp - totals.txt && echo same
tally report --top=1 totals.txt
