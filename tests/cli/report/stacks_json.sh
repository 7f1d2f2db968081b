# SPDX-License-Identifier: Apache-2.0
# Members that scripts rely on: a row for each stack, all its frames, innermost
# first.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --json --top=4 a.tally
tally report --json a.tally | "$PYTHON" -c 'import sys
from harness import stack_tables
report = stack_tables.load(sys.stdin)
for site in report["sites"]:
    print(site["bytes_live"], site["peak_bytes"], site["temporary"],
          site["truncated"],
          *(frame["function"] or frame["address"] for frame in site["stack"]))
print(sum(site["bytes_live"] for site in report["sites"]),
      report["totals"]["leaked_bytes"])'
