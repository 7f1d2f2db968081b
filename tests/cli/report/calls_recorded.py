# SPDX-License-Identifier: Apache-2.0
"""Unmodified programs, traced, with both figures of each compared."""

import json
import shutil
import subprocess
import sys

from harness import stack_tables

PROGRAMS = {
    "sqlite3": ["sqlite3", ":memory:",
                "create table t(a, b); insert into t select value, value * 7 "
                "from generate_series(1, 3000); create index i on t(b); "
                "select count(*), sum(b) from t where b > 70;"],
    "perl": ["perl", "-e", "my %h; $h{$_ % 997} .= $_ for 1 .. 20000; "
             "print scalar(keys %h)"],
    "python3": ["/usr/bin/python3", "-S", "-c",
                "import json; json.loads(json.dumps("
                "{str(i): list(range(i % 9)) for i in range(3000)}))"],
    "threads": ["./moving_threads"],
}
SAME = ("allocations", "frees", "bytes_allocated", "leaked_bytes",
        "leaked_blocks")


def report(*words):
    return stack_tables.loads(subprocess.run(
        ["tally", "report", "--leaf", "--json", *words],
        stdout=subprocess.PIPE, check=True).stdout)


def sites(account):
    """Return figures of each source line, summed over its addresses."""
    sums = {}
    for site in account["sites"]:
        frame = site["stack"][0]
        key = tuple(str(frame[name]) for name in
                    ("function", "file", "line", "module", "address"))
        row = [site[name] for name in ("bytes_live", "blocks_live",
                                       "bytes_total", "blocks_total")]
        sums[key] = [a + b for a, b in zip(row, sums.get(key, [0] * 4))]
    return sums


def compare(name, ledger, trace, ledger_file):
    totals, traced = ledger["totals"], trace["totals"]
    for key in SAME:
        if totals[key] != traced[key]:
            print(f"{name}: {key}: {totals[key]} and {traced[key]}")
    peak = totals["peak_bytes"]
    seen = max((point["live_bytes"] for point in ledger["timeline"]), default=0)
    if traced["peak_bytes"] < seen:
        print(f"{name}: peak of {traced['peak_bytes']}, and {seen} was seen")
    # A ledger's peak may miss bytes that a thread has not flushed yet.
    unknown = 5 * 32768 if name.startswith("threads") else 0
    if abs(peak - traced["peak_bytes"]) > peak * 0.01 + unknown:
        print(f"{name}: peak: {peak} and {traced['peak_bytes']}")
    lost = {key: value for key, value in trace["lost"].items() if value}
    if name == "threads.trace":  # without threads, what overtakes is unknown
        lost = {key: value for key, value in lost.items()
                if value != trace["lost"]["foreign_frees"]}
    if lost != {key: ledger["lost"].get(key) for key in lost}:
        print(f"{name}: lost in the trace: {lost}")
    if sites(ledger) != sites(report("--elf=" + ledger_file, name)):
        print(f"{name}: sites differ")


def main():
    for name, command in PROGRAMS.items():
        if shutil.which(command[0]) is None:
            print(f"SKIPPED: no {command[0]}; scripts/install-deps test",
                  file=sys.stderr)
            sys.exit(77)
        for option in "trace", "events":
            ledger_file, trace_file = f"{name}.{option}.tally", \
                f"{name}.{option}"
            subprocess.run(["tally", "record", "-q", "-o", ledger_file,
                            f"--{option}={trace_file}", "--", *command],
                           stdout=subprocess.DEVNULL, check=True)
            compare(trace_file, report(ledger_file), report(trace_file),
                    ledger_file)
        print(name, "compared")


main()
