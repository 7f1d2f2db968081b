# SPDX-License-Identifier: Apache-2.0
# All sums are those of an independent script, whatever the numbers are.
$PYTHON -B "$CASE_DIR/agrees.py" report sums diff folded svg top filters limits
