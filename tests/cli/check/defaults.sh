# SPDX-License-Identifier: Apache-2.0
# Without a budget, growth from the baselines is judged by default rules.
ledger() {
    "$PYTHON" - "$@" <<'END'
import os
import sys
sys.path.insert(0, os.path.join(os.environ["CASE_DIR"], ".."))
from make_ledger import HEAP, Ledger
ledger = Ledger(program="/nowhere/bin/app")
module = ledger.module("/nowhere/bin/app", 0, b"")
ledger.site(HEAP, module, 0x1234, (1, int(sys.argv[2])), (0, 0))
open(sys.argv[1], "wb").write(ledger.to_bytes())
END
}
ledger a.tally 10000000
ledger b.tally 10100000
ledger near.tally 10500000
ledger far.tally 10800000
ledger wild.tally 20000000
try() {
    echo "-- $*"
    tally check "$@"
    echo $?
}
try --baseline=a.tally near.tally
try --baseline=a.tally far.tally
try --format=github --baseline=a.tally far.tally
# Two baselines that differ tell more noise.
try --baseline=a.tally --baseline=b.tally far.tally
try --baseline=a.tally --json far.tally | grep -c '"rule_file": null'
echo 'rules: [live <= 1 GiB]' >tally.budget.yaml
try --baseline=a.tally wild.tally
