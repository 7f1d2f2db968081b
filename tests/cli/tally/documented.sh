# SPDX-License-Identifier: Apache-2.0
# Each option of --help is in its manual page and the other way round, the
# SYNOPSIS has all of them, and each member of --json is explained there, as is
# each name that is folded.
"$PYTHON" "$CASE_DIR/documented.py" "$CASE_DIR"
