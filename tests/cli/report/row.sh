# SPDX-License-Identifier: Apache-2.0
# One row of a report, as the same options show it, with its stacks whole.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --row=1 a.tally
echo "== by another order, the third"
tally report --sort=calls --row=3 a.tally | sed -n '3,5p'
echo "== for scripts"
tally report --row=2 --json a.tally | "$PYTHON" -c '
import sys
from harness import stack_tables
report = stack_tables.load(sys.stdin)
for row in report["sites"]:
    print(row["bytes_live"], len(row["stack"]))
print(len(report["maps"]))
'
echo "== maps"
tally report --kind=maps --row=1 a.tally | sed -n '/^Mmap/,$p' | head -4
echo "== refused"
tally report --row=9 a.tally || echo $?
tally report --row=0 a.tally || echo $?
