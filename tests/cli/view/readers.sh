# SPDX-License-Identifier: Apache-2.0
# Many readers, and one that is slow, take nothing from each other.
# needs: recorder
"$PYTHON" -B "$CASE_DIR/readers.py" "$TALLY"
