# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The kernel's grammar: the first letter tells, never is a beginning.
count() {
    "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["totals"]["allocations"] > 0)'
}
for value in 1 0 Y nope on off 12 1,compressed never neverland; do
    rm -rf x.tally
    tally record -q -o x.tally --sysctl "sysctl.vm.mem_profiling=$value" -- \
        /bin/echo > /dev/null
    echo "$value: $(tally report --json x.tally | count)"
done
TALLY_SYSCTL=sysctl.vm.mem_profiling=never tally record -o y.tally -- /bin/echo
