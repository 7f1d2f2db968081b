# SPDX-License-Identifier: Apache-2.0
# Sorted by time, each once; with other images, the sum of those that live.
cat > print.py <<'EOF'
import json
import sys

for sample in json.load(sys.stdin)["timeline"]:
    print(*sample.items())
EOF
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally timeline
mkdir a.tally.d
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally.d/4300-0 other_timeline \
    --poke 88="$("$PYTHON" -c 'import struct
print(struct.pack("<Q", 1_600_000_000).hex())')"
tally report --json a.tally | "$PYTHON" print.py
echo
tally report --json --all a.tally | "$PYTHON" print.py
