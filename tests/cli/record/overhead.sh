# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A budget of time: what is refused, and what is said and kept.
for options in --overhead=1 --overhead=x% --overhead=0% --overhead=-1% \
    --overhead=51% --overhead=nan% --overhead=0.0009% --overhead=0x1% \
    --overhead= "--overhead=1% --stacks=all" "--overhead=1% --stacks=caller" \
    "--overhead=1% --interval=4K" "--overhead=1% --rate=1e-3" \
    "--overhead=1% --trace=x" "--stacks=sampled --overhead=1% --events" \
    "--overhead=1% --snapshot-resident --snapshot-every=1s" \
    "--overhead=1% --sysctl=vm.mem_profiling=1,compressed"; do
    tally record $options -- /bin/echo no
    echo "$options: $?"
done
cat >program.py <<'END'
import time
end = time.monotonic() + 0.3
while time.monotonic() < end:
    blocks = [bytes(1000) for i in range(1000)]
END
tally record --overhead=2% --seed=5 -o a.tally -- "$PYTHON" -S program.py 2>said
sed -n 's/from .* took [0-9.e-]* %/took N %/p' said
tally report --full a.tally |
    sed -n '2s/from .* took [0-9.e-]* %/took N %/;2s/; [0-9,]* samples/; N samples/p'
tally report --json a.tally | "$PYTHON" -c '
import json, sys
sampling = json.load(sys.stdin)["sampling"]
budget = sampling["budget"]
print(budget["share"], 16384 <= budget["interval_least"] <= sampling["interval"],
      0 < budget["cost_ns"] < budget["capacity_ns"] < 10**12)'
