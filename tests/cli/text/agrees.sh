# SPDX-License-Identifier: Apache-2.0
# All sums are those of an independent script, whatever the numbers are.
# Half of a start under AddressSanitizer looks for leaks: other cases do.
export ASAN_OPTIONS=detect_leaks=0
$PYTHON -B "$CASE_DIR/agrees.py" report sums diff folded svg top filters limits
