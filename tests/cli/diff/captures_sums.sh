# SPDX-License-Identifier: Apache-2.0
# The sums equal those of a script over the files.
before=$CASE_DIR/../data/linux-7.3.4-boot.txt
after=$CASE_DIR/../data/linux-7.3.4-load.txt
tally diff --json "$before" "$after" >diff.json
"$PYTHON" - "$before" "$after" <<"END"
import json, sys
from collections import Counter

def read(name):
    size, calls = Counter(), Counter()
    for line in list(open(name))[2:]:
        fields = line.split(maxsplit=2)
        place = fields[2].replace(" accurate:no", "").strip()
        size[place] += int(fields[0])
        calls[place] += (int(fields[1]) + 2**63) % 2**64 - 2**63
    return size, calls

old, new = read(sys.argv[1]), read(sys.argv[2])
diff = json.load(open("diff.json"))
for side, key in ((old, "before"), (new, "after")):
    assert diff[key]["bytes"] == sum(side[0].values())
    assert diff[key]["blocks"] == sum(side[1].values())
rows = {}
for row in diff["rows"]:
    module = f"[{row['module']}] " if row["module"] else ""
    rows[f"{row['file']}:{row['line']} {module}func:{row['function']}"] = row
assert rows.keys() == old[0].keys() | new[0].keys()
for place, row in rows.items():
    assert row["bytes_growth"] == new[0][place] - old[0][place]
    assert row["blocks_growth"] == new[1][place] - old[1][place]
    assert (row["state"] == "new") == (place not in old[0])
    assert (row["state"] == "gone") == (place not in new[0])
growths = [row["bytes_growth"] for row in diff["rows"]]
assert growths == sorted(growths, key=lambda growth: (-abs(growth), -growth))
print(len(rows), "places agree")
END
