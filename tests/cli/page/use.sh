# SPDX-License-Identifier: Apache-2.0
# Common uses of a page, by mouse and keyboard.
# needs: recorder
tally record -q -o a.tally -- "$BUILD_DIR/tests/recorder/bin/phases" >/dev/null
tally export --to html a.tally -o a.html
"$PYTHON" -B "$CASE_DIR/use.py" a.html
