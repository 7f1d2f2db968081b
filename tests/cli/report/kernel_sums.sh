# SPDX-License-Identifier: Apache-2.0
# The sums equal those of a script over the file.
for file in "$CASE_DIR"/../data/linux-*.txt; do
    tally report --json "$file" >report.json
    tally report --json --sum "$file" >summed.json
    "$PYTHON" - "$file" <<"END"
import json, sys
size = calls = 0
for line in list(open(sys.argv[1]))[2:]:
    fields = line.split()
    size += int(fields[0])
    calls += (int(fields[1]) + 2**63) % 2**64 - 2**63
for name in "report.json", "summed.json":
    report = json.load(open(name))
    totals, sites = report["totals"], report["sites"]
    assert (totals["leaked_bytes"], totals["leaked_blocks"]) == (size, calls)
    assert sum(site["bytes_live"] for site in sites) == size
    assert sum(site["blocks_live"] for site in sites) == calls
    print(len(sites), "rows agree")
END
done
