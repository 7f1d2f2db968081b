# SPDX-License-Identifier: Apache-2.0
# Rows of one module; totals stay those of the whole.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally report --module="libspace me.so.1" a.tally
