# SPDX-License-Identifier: Apache-2.0
# Each frame once: with the numbers looked up it is the other form, of ledgers
# with stacks and without; another form is refused.
for case in stacks plain; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $case.tally $case
    tally report --json $case.tally > $case.json
    tally report --json=indexed $case.tally > $case.indexed
    "$PYTHON" - $case <<'PROGRAM'
import json, sys
whole, indexed = (json.load(open(sys.argv[1] + suffix))
                  for suffix in (".json", ".indexed"))
table = indexed.pop("frame_table")
print(sys.argv[1], len(table), [site["stack"] for site in indexed["sites"]])
for site in indexed["sites"] + indexed["maps"]:
    site["stack"] = [table[number] for number in site["stack"]]
print(indexed == whole)
PROGRAM
done
tally report --json=table plain.tally
echo $?
