# SPDX-License-Identifier: Apache-2.0
# All process images of a recording, as a tree, and the one that is shown.
# needs: recorder
tally record -q -o a.tally -- \
    sh -c "$BUILD_DIR/tests/recorder/bin/phases >/dev/null; :"
tally export --to html a.tally -o a.html 2>/dev/null
"$PYTHON" -B "$CASE_DIR/processes.py" a.html
