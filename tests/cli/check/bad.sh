# SPDX-License-Identifier: Apache-2.0
# A source that cannot be judged does not pass.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
try() {
    tally check "$@"
    echo "$?"
}
try a.tally
mkfifo tally.budget.yaml
try a.tally
ln -sf /proc/kmsg tally.budget.yaml
try a.tally
rm tally.budget.yaml
printf 'budgets:\n  - program: other\n    rules: [ live = 0 ]\n' >b.yaml
try --budget=b.yaml a.tally
printf 'rules:\n  - peek <= 5\n' >b.yaml
try --budget=b.yaml a.tally
printf 'rules:\n  - growth peak <= 5 %%\n' >b.yaml
try --budget=b.yaml a.tally
try --budget=b.yaml nosuch.tally
try --budget=b.yaml --baseline=nosuch.tally a.tally
try --budget=b.yaml
try --budget=b.yaml -o out a.tally
try --learn --baseline=a.tally --baseline=a.tally
try --learn a.tally
try --format=html a.tally
