# SPDX-License-Identifier: Apache-2.0
# Which line leaks, what holds the peak besides wrappers, and what grew within
# a time range: each by at most three clicks.
# needs: recorder
for kind in leak growth; do
    tally record -q -o $kind.tally -- \
        "$BUILD_DIR/tests/recorder/bin/findings" $kind >/dev/null
    tally export --to html $kind.tally -o $kind.html
    "$PYTHON" -B "$CASE_DIR/tasks.py" $kind $kind.html
done
