# SPDX-License-Identifier: Apache-2.0
# What a program allocates while it runs is seen, and its end is said.
# needs: recorder
"$PYTHON" -B "$CASE_DIR/live.py" "$TALLY"
