# SPDX-License-Identifier: Apache-2.0
# A moved realloc is one allocation and one free, a failed one only that; the
# rest of what a trace may lack is counted under "lost".
cat > t <<'END'
#m:0x20003240;0x600d-50
#r:0x20003300;0x6011-0x20003240;80
#r:0x0;0x6011-0x20003300;5000000
#c:0x20003400;0x6021-25;10
#r:0x20003500;0x6011-0x0;16
#r:0x0;0x6011-0x20003500;0
#f:0x0;0x602f-0x0
#f:0x0;0x602f-0x20009990
#m:0x20003400;0x600d-5
#m:0x0;0x600d-70000
#m:0x2000
END
tally report --json t > out
"$PYTHON" -c '
import json
from harness import stack_tables
report = stack_tables.load(open("out"))
for key in "totals", "trace", "failures":
    print(key, json.dumps(report[key]))
print({key: value for key, value in report["lost"].items() if value})
for site in report["sites"]:
    print(site["stack"][0]["address"], site["bytes_live"], site["blocks_live"],
          site["bytes_total"], site["blocks_total"])
print([(point["event"], point["live_bytes"]) for point in report["timeline"]])
print(report["process"], report["regions"], report["unresolved_sites"])'
tally report t | sed -n '/^Failed/,$p'
