# SPDX-License-Identifier: Apache-2.0
# A page opens those of the other processes of a recording, and of no other.
# needs: recorder
tally record -q -o a.tally -- \
    sh -c "$BUILD_DIR/tests/recorder/bin/phases >/dev/null; :"
"$PYTHON" -B "$CASE_DIR/processes.py" "$TALLY" a.tally
