# SPDX-License-Identifier: Apache-2.0
"$PYTHON" "$CASE_DIR/every_byte.py"
