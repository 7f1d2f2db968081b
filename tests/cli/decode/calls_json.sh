# SPDX-License-Identifier: Apache-2.0
# Each call has the same keys; what a function lacks is null.
printf '#m:0x20003240;0x600d-50\n#r:0x20003300;0x6011-0x20003240;80\n' > t
printf '#c:0x0;0x6021-25;10\n#f:0x0;0x602f-0x20003240\n' >> t
tally decode --json t
"$PYTHON" -c '
import json, subprocess
calls = json.loads(subprocess.run(["tally", "decode", "--json", "t"],
                                  stdout=subprocess.PIPE, check=True).stdout)
print(len(calls), [call["event"] for call in calls])'
