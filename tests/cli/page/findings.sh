# SPDX-License-Identifier: Apache-2.0
# A finding is a sentence without options; its button leads to the function,
# with the metric and the interval in which it has the amount found. Its flag in
# the timeline says it at the pointer.
# needs: recorder
for work in leak leak:steady growth spike churn \
    churn:flight; do
    kind=${work%:*}
    tally record -qf -o $kind.tally -- \
        "$BUILD_DIR/tests/recorder/bin/findings" "${work#*:}" >/dev/null
    tally export --to html -f $kind.tally -o $kind.html
    tally report --json $kind.tally >$kind.json
    "$PYTHON" -B "$CASE_DIR/findings.py" $kind $kind.html $kind.json
done
