# SPDX-License-Identifier: Apache-2.0
# Rows add up to what the kernel says, in each case; --json knows the same.
for case in resident resident_untouched resident_unread; do
    echo "== $case"
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $case.tally $case
    tally report --full $case.tally | sed -n '/^Resident/,/^$/p'
    tally report --json $case.tally | "$PYTHON" -c '
import json, sys
resident = json.load(sys.stdin)["resident"]
print(json.dumps(resident, indent=1))
for reading in [resident, resident.get("most")] if resident else []:
    parts = ("live_blocks", "allocator_slack", "anonymous_maps",
             "mapped_files", "stacks", "tally", "unexplained")
    if reading:
        print(reading["bytes"] == sum(reading[part] or 0 for part in parts))
'
done
echo "== of several images"
mkdir resident.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" resident.tally.d/4300-0 resident
tally report --full --all resident.tally | grep -c '^Resident'
tally report --full --all --json resident.tally | grep '"resident"'
