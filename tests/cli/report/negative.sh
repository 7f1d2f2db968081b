# SPDX-License-Identifier: Apache-2.0
# An ended process is shown unchanged.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally negative
tally report --full a.tally | sed -n 1,12p
