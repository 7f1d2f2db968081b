# SPDX-License-Identifier: Apache-2.0
"""What an mmap and its munmap take more than without the recorder."""

import os
import statistics

import measure
import tables

MORE_NS = 1500.0
PAIRS, DEPTH = "20000", "8"

HEAD = ["how", "median", "range", "more than plain", "bound", "verdict"]


def print_all(bench, _workloads):
    tables.print_title("An mmap and its munmap, 8 calls deep, ns", HEAD)
    tally = os.path.join(bench.build, "bin", "tally")
    program = [os.path.join(bench.build, "bench", "maps"), PAIRS, DEPTH]
    ways = {"plain": []}
    for stacks in ("caller", "all"):
        ways[f"--stacks={stacks}"] = [tally, "record", "--quiet", "-o",
                                      bench.ledger, f"--stacks={stacks}", "--"]
    found = {name: [] for name in ways}
    for _ in range(bench.rounds):
        for name, before in ways.items():
            if os.path.exists(bench.ledger):
                os.remove(bench.ledger)
            found[name].append(float(measure.run(
                before + program, {}, None, bench.folder)[1]))
    plain = statistics.median(found["plain"])
    for name, ns in found.items():
        more = statistics.median(ns) - plain
        said = "" if name == "plain" else tables.verdict(
            more, min(ns) - plain, MORE_NS)
        if said:
            bench.verdicts.append((f"maps, {name}", said))
        tables.print_row([name, f"{statistics.median(ns):,.0f}",
                          f"{min(ns):,.0f} - {max(ns):,.0f}",
                          "" if name == "plain" else f"{more:,.0f}",
                          "" if name == "plain" else f"{MORE_NS:,.0f}", said])
