# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A program with such names, while it runs.
"$PYTHON" "$CASE_DIR/hostile_names.py" running
