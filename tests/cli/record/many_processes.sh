# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The memory of ended images is given back, and nothing of them is lost.
tally record -q -o x.tally -- /bin/sh -c '
    i=0
    while [ $i -lt 400 ]; do /bin/ls / > /dev/null; i=$((i + 1)); done'
ls x.tally.d | wc -l
for ledger in x.tally.d/*; do tally report --json "$ledger"; done |
    grep -c '"allocations"'
