# SPDX-License-Identifier: Apache-2.0
# What has ended is shown as it is.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally negative
tally report --full a.tally | sed -n 1,12p
