# SPDX-License-Identifier: Apache-2.0
"""What it takes to report on many stacks: a ledger of 100,000 of them, whose
calls lie in functions of real files, so that there are names to find.
"""

import os
import statistics

import measure
import tables

STACKS = 100000
SECONDS = 2.0
MEBIBYTES = 200.0
FILES = ["/usr/bin/python3", "/usr/bin/sqlite3",
         "/lib/x86_64-linux-gnu/libc.so.6"]

HEAD = ["what", "user time", "range", "memory", "bound", "verdict"]


def files(tally):
    return [*(path for path in FILES if os.path.exists(path)), tally]


def print_all(bench, _workloads):
    tables.print_title(f"Reports on {STACKS:,} stacks", HEAD)
    tally = os.path.join(bench.build, "bin", "tally")
    ledger = os.path.join(bench.folder, "many_stacks.tally")
    output = os.path.join(bench.folder, "many_stacks.gz")  # heaptrack's
    measure.run([os.path.join(bench.build, "bench", "big_ledger"), ledger,
                 str(STACKS), "0", *files(tally)],
                {}, None, bench.folder)

    def seconds(command):
        if os.path.exists(output):
            os.remove(output)
        return measure.user_seconds(command, {}, None, bench.folder)[0]

    def row(what, command, has_bound):
        found = [seconds(command)
                 for _ in range(bench.rounds if has_bound else 1)]
        middle = statistics.median(found)
        if os.path.exists(output):
            os.remove(output)
        peak = bench.peak(command, {}, None, bench.folder) / 1024
        said = ""
        if has_bound:
            said = tables.verdict(max(middle / SECONDS, peak / MEBIBYTES),
                                  max(min(found) / SECONDS,
                                      peak / MEBIBYTES), 1.0)
            bench.verdicts.append((f"reports, {what}", said))
        tables.print_row([
            what, f"{middle:.2f} s", f"{min(found):.2f} - {max(found):.2f}",
            f"{peak:.0f} MiB",
            f"{SECONDS:.0f} s, {MEBIBYTES:.0f} MiB" if has_bound else "",
            said])

    row("tally report", [tally, "report", ledger], True)
    row("tally report --peak --reverse",
        [tally, "report", "--peak", "--reverse", ledger], True)
    for name in ("folded", "svg", "pprof", "speedscope", "heaptrack"):
        row(f"tally export --to {name}",
            [tally, "export", "--to", name, "-o", output, ledger], False)
    row("tally diff with itself", [tally, "diff", ledger, ledger], False)
    os.remove(ledger)
