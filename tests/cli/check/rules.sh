# SPDX-License-Identifier: Apache-2.0
# Each rule is kept, broken, unmatched or cannot be judged; patterns match
# anywhere in the stack.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
cat >tally.budget.yaml <<'END'
budgets:
  - program: app
    rules:
      - live <= 1 MiB
      - live < 1 KiB
      - peak <= 1 KiB
      - blocks libread* <= 3
      - live "app+0x1*" <= 10 %
      - temporary <= 1 %
      - live nosuch = 0
      - growth live <= 1 %
      - resident <= 1 MiB
  - program: other
    rules:
      - live = 0
END
tally check a.tally
echo "$?"
tally check --baseline=a.tally --budget=tally.budget.yaml a.tally a.tally | tail -1
tally check --json a.tally | "$PYTHON" -c '
import json, sys
whole = json.load(sys.stdin)
print(whole["version"], whole["broken"], whole["unknown"])
for row in whole["results"]:
    print(row["state"], row["rule"], row["value"], row["limit"],
          row["over"], len(row["stack"]))'
echo "only what is kept"
printf 'rules: [ live <= 1 MiB ]\n' >kept.yaml
tally check --budget=kept.yaml a.tally
echo "$?"
