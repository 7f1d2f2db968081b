# SPDX-License-Identifier: Apache-2.0
# Each document of --json is as docs/json says, which knows each member.
"$PYTHON" "$CASE_DIR/json_schema.py"
