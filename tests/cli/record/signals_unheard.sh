# SPDX-License-Identifier: Apache-2.0
# needs: recorder
exec "$PYTHON" "$CASE_DIR/signals.py" unheard
