# SPDX-License-Identifier: Apache-2.0
# Allocations of a running program are seen, and its end is reported.
# needs: recorder
"$PYTHON" -B "$CASE_DIR/live.py" "$TALLY"
