# SPDX-License-Identifier: Apache-2.0
# needs: recorder
"$PYTHON" "$CASE_DIR/signals.py" left_group
"$PYTHON" "$CASE_DIR/signals.py" timeout
