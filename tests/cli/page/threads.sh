# SPDX-License-Identifier: Apache-2.0
# Threads with names as labels, in a full and in a sampled recording: as in the
# report. A page of callers alone says why it has none.
# needs: recorder
exec 2>errors # where samples are called estimates
for stacks in all sampled caller; do
    tally record -q --stacks=$stacks $more -o $stacks.tally -- \
        "$BUILD_DIR/tests/recorder/bin/labels" name >program
    tally export --to html -o $stacks.html $stacks.tally
    tally report --by=label --json $stacks.tally >$stacks.json
    "$PYTHON" -B "$CASE_DIR/threads.py" $stacks.html $stacks.json
    if [ $stacks = all ]; then more=--interval=4096; else more=; fi
done
