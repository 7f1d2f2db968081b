# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A trace of samples, in either form, tells what the ledger of the same run does:
# stack by stack the same blocks, with the same intervals.
cat >program.py <<'END'
import threading
def few(): return [bytes(3000) for i in range(2000)]
def many(): return [bytes(1000) for i in range(8000)]
kept = few(), many()
def work():
    for i in range(50):
        many()
threads = [threading.Thread(target=work) for i in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
del kept
kept = many()
END
cat >compare.py <<'END'
import re
from harness import stack_tables
def load(name):
    report = stack_tables.load(open(name))
    return report, {tuple((f["module"], f["address"]) for f in site["stack"]):
                    site for site in report["sites"]}
ledger, in_ledger = load("ledger.json")
trace, in_trace = load("trace.json")
def near(a, b, samples):
    return abs(a - b) <= samples + abs(a) * 1e-3
def agree(a, b, samples, keys):
    return (all(near(a[key], b[key], samples) for key in keys) and
            all(near(x, y, samples) for key in keys for x, y in
                zip(a["intervals"][key], b["intervals"][key])))
print(trace["sampling"] == ledger["sampling"],
      ledger["sampling"]["samples"] > 1000)
print(in_ledger.keys() == in_trace.keys(), len(in_ledger) > 2,
      max(len(stack) for stack in in_trace) > 4)
told = int(re.search(r"([0-9,]+) events? in", open("said").read())[1]
           .replace(",", ""))
print("events", trace["trace"]["events"] == told,
      trace["lost"]["missing_events"], trace["lost"]["discarded_events"])
amounts = ["bytes_live", "blocks_live", "bytes_total", "blocks_total"]
print([key for key, site in in_ledger.items()
       if in_trace[key]["samples"] != site["samples"] or
       in_trace[key]["truncated"] != site["truncated"] or
       not agree(site, in_trace[key], site["samples"], amounts)])
print(agree(ledger["totals"], trace["totals"], ledger["sampling"]["samples"],
            ["allocations", "bytes_allocated", "leaked_bytes",
             "leaked_blocks"]),
      trace["totals"]["peak_bytes"], trace["totals"]["temporary"])
END
for form in trace events; do
    tally record -o $form.tally --stacks=sampled --interval=64K \
        --$form=calls.$form -- "$PYTHON" -S program.py 2>said
    echo $?
    tally report --json $form.tally >ledger.json
    tally report --json --elf=$form.tally calls.$form >trace.json
    "$PYTHON" compare.py
    tally report --full $form.tally | sed -n 2p >ledger.says
    tally report --full calls.$form | sed -n 2p | cmp - ledger.says
    # Frames without a name are in the same files.
    tally report --full --kind=heap $form.tally |
        sed -n '/no name/,/--debug/{s/[0-9]*//g;p;}' >ledger.says
    tally report --full --elf=$form.tally calls.$form |
        sed -n '/no name/,/--debug/{s/[0-9]*//g;p;}' | cmp - ledger.says
    tally diff calls.$form calls.$form | grep -c ' to '
    tally export --kind=heap --to folded --elf=$form.tally calls.$form |
        sed 's/ [0-9]*$//' | sort >trace.folded
    tally export --kind=heap --to folded $form.tally |
        sed 's/ [0-9]*$//' | sort | cmp - trace.folded
    grep -c . trace.folded >lines && echo $?
    tally report --full --lifetimes calls.$form
    tally decode calls.$form | cut -c 1-3 | sort -u
done
head -n 1 calls.trace
