# SPDX-License-Identifier: Apache-2.0
# Every estimate has its interval.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally report --json a.tally >a.json
"$PYTHON" - <<'END'
import json
report = json.load(open("a.json"))
print(report["sampling"])
keys = {**report["totals"]["intervals"]}
for key, (low, high) in keys.items():
    print(key, low <= report["totals"][key] <= high)
for site in report["sites"]:
    intervals = site["intervals"]
    print(site["bytes_total"], intervals is None or all(
        low <= site[key] <= high for key, (low, high) in intervals.items()),
        sorted(intervals or []))
print("lifetimes" in report, report["maps"][0]["intervals"])
END
