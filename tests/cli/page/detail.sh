# SPDX-License-Identifier: Apache-2.0
# The panel of a function has the report's amounts, by itself, with its callees
# and by caller; a search counts functions and their share; colours are the same
# in two views.
# needs: recorder
tally record -q -o a.tally -- "$BUILD_DIR/tests/recorder/bin/phases" >/dev/null
tally export --to html a.tally -o a.html
tally report --json a.tally >a.json
"$PYTHON" -B "$CASE_DIR/detail.py" a.html a.json
