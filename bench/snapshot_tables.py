# SPDX-License-Identifier: Apache-2.0
"""What a snapshot of a running program takes, and whether it is kept waiting:
100,000 stacks, and two threads that allocate all the time.
"""

import os
import statistics
import subprocess
import time

import tables

STACKS = 100000
BOUND_MS = 150.0

HEAD = ["what", "median", "range", "bound", "verdict"]


def print_all(bench, _workloads):
    tables.print_title(f"Snapshots of {STACKS:,} stacks", HEAD)
    tally = os.path.join(bench.build, "bin", "tally")
    ledger = os.path.join(bench.folder, "snapshots.tally")
    name = os.path.join(bench.folder, "snapshot.tally")
    program = subprocess.Popen(
        [tally, "record", "--quiet", "-o", ledger, "--",
         os.path.join(bench.build, "bench", "snapshots"), str(STACKS)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    program.stdout.readline()
    wall, processor = [], []
    for _ in range(max(bench.rounds, 5)):
        begin, before = time.monotonic(), os.times()
        subprocess.run([tally, "snapshot", "-q", "-o", name,
                        str(program.pid)], check=True)
        after = os.times()
        wall.append((time.monotonic() - begin) * 1000)
        processor.append((after.children_user - before.children_user +
                          after.children_system - before.children_system) *
                         1000)
        size = os.stat(name).st_blocks / 2048
        os.remove(name)
    sleeps, _ = program.communicate(b"")
    os.remove(ledger)

    def row(what, found, bound, unit):
        middle = statistics.median(found)
        said = tables.verdict(middle, min(found), bound) \
            if bound is not None else ""
        tables.print_row([what, f"{middle:.0f}{unit}",
                          f"{min(found):.0f} - {max(found):.0f}",
                          "" if bound is None else f"{bound:.0f}{unit}", said])
        if said:
            bench.verdicts.append((what, said))

    row("tally snapshot, CPU time", processor, BOUND_MS, " ms")
    row("tally snapshot, with two busy threads", wall, None, " ms")
    row("threads that slept meanwhile", [int(sleeps)], 0, "")
    tables.print_row(["the file", f"{size:.0f} MiB", "", "", ""])
