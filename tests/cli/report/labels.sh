# SPDX-License-Identifier: Apache-2.0
# Live bytes of each label, with its pairs in any order; and each stack's label,
# which is no frame.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally labels
tally report --by=label a.tally
tally report --by=label --reverse a.tally
echo $?
tally report --by=tenant a.tally
echo $?
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally plain
tally report --by=label b.tally
echo $?
tally report --json a.tally | "$PYTHON" -c 'import sys
from harness import stack_tables
for site in stack_tables.load(sys.stdin)["sites"]:
    print(site["bytes_live"], ascii(site["labels"]), len(site["stack"]),
          site["truncated"])'
tally report --json --by=label a.tally | "$PYTHON" -c 'import sys
from harness import stack_tables
for site in stack_tables.load(sys.stdin)["sites"]:
    print(site["bytes_live"], ascii(site["labels"]))'
# Each image loses labels of its own; what ran on is of the whole recording.
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-0 labels
tally report --all --json a.tally | grep 'left_running\|lost_labels'
