# SPDX-License-Identifier: Apache-2.0
# The numbers of the text; members that a line of text lacks are null.
tally decode --json "$CASE_DIR/../data/zpl-sample.txt" > sample.json
cat sample.json
"$PYTHON" - <<'END'
import json
events = json.load(open("sample.json"))
print(len(events), sum(event["used"] for event in events))
END
