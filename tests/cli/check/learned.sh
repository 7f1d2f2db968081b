# SPDX-License-Identifier: Apache-2.0
# Differences between runs are learned; only larger ones are growth.
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
ledger a.tally 1000000
ledger b.tally 1010000
ledger c.tally 1020000
ledger d.tally 1030000
ledger near.tally 1150000
ledger far.tally 1200000
printf 'rules:\n  - growth live <= 0\n  - growth live "app" <= 1 %%\n' >b.yaml
many="--baseline=a.tally --baseline=b.tally --baseline=c.tally --baseline=d.tally"
tally check --learn $many --budget=b.yaml -o noise.yaml
cat noise.yaml
for source in near far; do
    tally check --budget=b.yaml --budget=noise.yaml $source.tally
    echo "$source: $?"
    tally check --budget=b.yaml $many $source.tally
    echo "$source: $?"
done
tally check --budget=b.yaml --baseline=a.tally near.tally
echo "one baseline: $?"
tally check --learn $many -o noise.yaml
echo "it is there: $?"
tally check --learn $many --budget=b.yaml -o - | cmp - noise.yaml
tally check --learn $many --force -o noise.yaml
echo "forced: $?"
for read in c.tally b.yaml; do
    cp $read kept
    tally check --learn $many --budget=b.yaml --force -o $read
    echo "read: $?"
    cmp kept $read
done
