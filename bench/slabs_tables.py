# SPDX-License-Identifier: Apache-2.0
"""What a block of a memory slab and of a sys_heap costs.

slabs.c measures and prints names with figures; here are the bounds. The lock of
the same machine is the yardstick: a pair cost 9.5 ns where the bound was set.
"""

import os
import statistics

import measure
import tables

LOCKS, LOCKS_MORE_NS = 2, 4.0  # of an uncontended pair
BARE_NS = 5.0
RECORD_NS = 20.0
GROWTH = 1.25  # a slab of a million blocks against one of a thousand

HEAD = ["what", "median", "range", "beside it", "bound", "verdict"]


def figures(bench):
    """{name: [value of each round]}"""
    values = {}
    environment = {"LD_LIBRARY_PATH": os.path.join(bench.build, "lib")}
    for _ in range(bench.rounds):
        for program in (["slabs"], ["slabs", "ledger"], ["slabs_bare"]):
            program[0] = os.path.join(bench.build, "bench", program[0])
            _, printed = measure.run(program, environment, None, bench.folder)
            for line in printed.splitlines():
                name, value = line.split()
                values.setdefault(name, []).append(float(value))
    return values


def print_all(bench, _workloads):
    values = figures(bench)
    median = {name: statistics.median(found)
              for name, found in values.items()}
    best = {name: min(found) for name, found in values.items()}

    def row(what, name, beside="", limit=None, unit=" ns"):
        said = tables.verdict(median[name], best[name], limit)
        tables.print_row([
            what, f"{median[name]:.1f}{unit}",
            f"{min(values[name]):.1f} - {max(values[name]):.1f}", beside,
            f"{limit:.1f}{unit}" if limit else "", said])
        if said:
            bench.verdicts.append((f"slabs, {what}", said))

    tables.print_title("Memory slabs and heaps: alloc and free of one block",
                       HEAD)
    row("lock and unlock, uncontended", "lock_pair")
    row("slab", "slab_pair", "two locks and 4 ns",
        LOCKS * median["lock_pair"] + LOCKS_MORE_NS)
    row("... with a record in the ledger", "slab_pair_ledger",
        "10 ns more for each of both", median["slab_pair"] + RECORD_NS)
    row("lock and unlock, one thread ever", "lock_pair_alone")
    row("slab, one thread ever", "slab_pair_alone", "two locks and 4 ns",
        LOCKS * median["lock_pair_alone"] + LOCKS_MORE_NS)
    row("... with a record in the ledger", "slab_pair_ledger_alone",
        "10 ns more for each of both", median["slab_pair_alone"] + RECORD_NS)
    row("slab of a million blocks", "slab_pair_million",
        "does not grow", GROWTH * median["slab_pair"])
    row("slab, bare-metal port on this host", "bare_pair",
        "linked with -flto", BARE_NS)
    row("slab, 1,000 at a time", "slab_batch",
        f"malloc, free: {median['malloc_batch']:.1f} ns")
    for percent in ("10", "90"):
        row(f"sys_heap, {percent} % full", f"heap_{percent}",
            f"malloc, free: {median['malloc_' + percent]:.1f} ns")
        row("... the worst of 30,000", f"heap_{percent}_worst",
            f"malloc, free: {median['malloc_' + percent + '_worst']:.0f} ns")
    row("slab, two threads", "two_threads_million_a_second",
        "lesser share "
        f"{median['two_threads_lesser_share_percent']:.0f} %",
        unit=" million a second")
