# SPDX-License-Identifier: Apache-2.0
# A finding is a sentence without options; its button leads to the function,
# with the metric and the interval in which it has the amount found.
# needs: recorder
for kind in leak growth spike churn; do
    tally record -q -o $kind.tally -- \
        "$BUILD_DIR/tests/recorder/bin/findings" $kind >/dev/null
    tally export --to html $kind.tally -o $kind.html
    tally report --json $kind.tally >$kind.json
    "$PYTHON" -B "$CASE_DIR/findings.py" $kind $kind.html $kind.json
done
