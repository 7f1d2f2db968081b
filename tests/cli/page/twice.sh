# SPDX-License-Identifier: Apache-2.0
# A sampled process read twice while it grows: growth of each value has the
# interval of the comparison, whichever value its page began with.
# needs: recorder
tally record -qo a.tally --interval=16K --stacks=sampled -- \
    "$BUILD_DIR/tests/recorder/bin/findings" growth >/dev/null &
process=
for _ in $(seq 200); do
    process=$(pgrep -P $! -x findings) && break
    sleep 0.02
done
for reading in 1 2; do
    sleep 0.4
    tally snapshot -qo $reading.tally "$process" || exit 1
done
wait $!
tally diff --html --value=total 1.tally 2.tally >twice.html 2>/dev/null
for value in live total blocks temporary; do
    tally diff --json --value=$value 1.tally 2.tally >$value.json 2>/dev/null
    "$PYTHON" -B "$CASE_DIR/compared.py" twice.html#$value $value.json \
        >said || exit 1
    grep -q '^growth.*by samples' said && echo "$value: with its interval"
done
