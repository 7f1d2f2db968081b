# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The kernel's grammar: the first letter tells, never is a beginning. 16 bits do not
# name whole stacks: asked for both is refused, asked for one it is call sites.
count() {
    "$PYTHON" -c '
import sys
from harness import stack_tables
print(stack_tables.load(sys.stdin)["totals"]["allocations"] > 0)'
}
for value in 1 0 Y nope on off 12 1,compressed never neverland; do
    rm -rf x.tally
    tally record -q -o x.tally --sysctl "sysctl.vm.mem_profiling=$value" -- \
        /bin/echo > /dev/null
    echo "$value: $(tally report --json x.tally | count)"
done
TALLY_SYSCTL=sysctl.vm.mem_profiling=never tally record -o y.tally -- /bin/echo
for stacks in all sampled caller; do
    tally record -q "--stacks=$stacks" -o "$stacks.tally" \
        --sysctl=vm.mem_profiling=1,compressed -- /bin/echo ran
    echo "$stacks: $?"
done
for ledger in caller x; do
    rm -rf x.tally
    tally record -q -o x.tally --sysctl=vm.mem_profiling=1,compressed -- \
        /bin/echo >/dev/null
    tally report --json $ledger.tally | "$PYTHON" -c '
import sys
from harness import stack_tables
sites = stack_tables.load(sys.stdin)["sites"]
print("sites of more than a call:", sum(len(site["stack"]) > 1 for site in sites))'
done
