# SPDX-License-Identifier: Apache-2.0
# The page's head says what tally report --json says of the same source.
"$PYTHON" "$CASE_DIR/head.py"
