# SPDX-License-Identifier: Apache-2.0
# A killed program, one after exec, and one after exec of what is not recorded.
# needs: recorder
"$PYTHON" -B "$CASE_DIR/ends.py" "$TALLY"
