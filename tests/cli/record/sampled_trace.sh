# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A trace of samples tells estimates; text, which cannot say that it is one, is
# refused.
tally record -q --stacks=sampled --trace=text -- true
echo $?
tally record -q -o a.tally --stacks=sampled --interval=64K --events=calls -- \
    "$PYTHON" -S -c 'x = [bytes(3000) for i in range(10000)]'
tally report --json calls >calls.json
tally diff calls calls | grep -c ' to '
tally export --to folded calls >folded
"$PYTHON" - <<'END'
import json
report = json.load(open("calls.json"))
low, high = report["totals"]["intervals"]["bytes_allocated"]
# 10,000 blocks of 3,033 bytes, and little besides.
print(low <= 30_400_000 <= high, high < 60_000_000,
      report["totals"]["peak_bytes"])
row = max(report["sites"], key=lambda site: site["bytes_total"])
low, high = row["intervals"]["blocks_total"]
print(low <= 10_000 <= high, 7_000 < row["blocks_total"] < 13_000)
print(sum(int(line.split()[-1]) for line in open("folded")) ==
      report["totals"]["leaked_bytes"])
END
