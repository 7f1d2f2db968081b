# SPDX-License-Identifier: Apache-2.0
# Each view as rows, as a picture to scale and as one of points.
# needs: recorder
tally record -q -o a.tally -- "$BUILD_DIR/tests/recorder/bin/phases" >/dev/null
tally export --to html a.tally -o a.html
"$PYTHON" -B "$CASE_DIR/keep.py" a.html
