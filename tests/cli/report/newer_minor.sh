# SPDX-License-Identifier: Apache-2.0
# A newer minor version may have more kinds of segments.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain --poke 10=ff00 --poke 4288=63000000
tally report --full a.tally 2>&1 | sed -n 1p
