# SPDX-License-Identifier: Apache-2.0
# A number is no file; ./NUMBER is.
"$PYTHON" "$CASE_DIR/../make_ledger.py" 999999999 plain
tally report --full ./999999999 | sed -n 1p
tally report --full 999999999
tally report --full 0
