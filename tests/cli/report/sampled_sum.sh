# SPDX-License-Identifier: Apache-2.0
# Sums of --sum and --all have lifetimes, too.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-0 sampled
tally report --sum --all --lifetimes --json --module=app a.tally >a.json
"$PYTHON" - <<'END'
import json
report = json.load(open("a.json"))
print(report["process"]["images"], report["lifetimes"]["samples"],
      report["sampling"]["samples"])
for site in report["sites"]:
    print(site["lifetimes"]["samples"], site["lifetimes"]["promoted"],
          [freed["samples"] for freed in site["lifetimes"]["freed"]])
END
