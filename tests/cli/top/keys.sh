# SPDX-License-Identifier: Apache-2.0
exec "$PYTHON" "$CASE_DIR/keys.py"
