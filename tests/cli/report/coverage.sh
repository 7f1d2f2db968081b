# SPDX-License-Identifier: Apache-2.0
# A recording says what it does not cover; findings and budgets are not judged then.
make() { "$PYTHON" "$CASE_DIR/../make_ledger.py" "$@"; }
show() { tally report "$1" | grep -E 'unrecorded|none|not judged'; }
printf 'rules: [ leaks = 0, peak <= 1 GiB, peak < 1 B, resident <= 1 GiB ]\n' > budget.yaml
make lossy.tally lossy
make whole.tally stacks
make attached.tally stacks --poke 28=10010000
make paused.tally stacks --poke 28=10020000
make running.tally running
for ledger in lossy whole attached paused running; do
    echo "== $ledger"
    show $ledger.tally
    tally report --json $ledger.tally | jq -c '.coverage | with_entries(select(.value != null))'
done
for ledger in lossy attached; do
    tally check --budget=budget.yaml $ledger.tally 2>&1
    echo "$?"
done
tally check --budget=budget.yaml --json attached.tally | jq -c '[.broken, .unknown, .not_judged]'
