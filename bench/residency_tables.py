# SPDX-License-Identifier: Apache-2.0
"""What it costs to find out who keeps a heap of 1 GiB in memory: time and
memory of `tally report --resident`, beside the process that is looked at."""

import json
import os
import statistics
import subprocess

import measure
import tables

BYTES = 1 << 30
SECONDS = 2.0
MIB = 64.0

HEAD = ["heap of 1 GiB", "median", "range", "memory", "sum against the kernel",
        "bound", "verdict"]
SHAPES = [("blocks of 32 bytes", "32", "all"),
          ("blocks of 200 bytes", "200", "all"),
          ("of 200 bytes, every other one freed", "200", "half"),
          ("blocks of 1 MiB", str(1 << 20), "all")]


def wall_seconds(command):
    begun = os.times().elapsed
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return os.times().elapsed - begun


def read(bench, pid):
    """Seconds of each round, MiB, and by how many percent the sum is off."""
    tally = os.path.join(bench.build, "bin", "tally")
    command = [tally, "report", "--resident", pid]
    seconds = [wall_seconds(command) for _ in range(bench.rounds)]
    peak = bench.peak(command, {}, None, bench.folder) / 1024
    report = json.loads(subprocess.run(
        [tally, "report", "--resident", "--json", pid], check=True,
        stdout=subprocess.PIPE).stdout)
    heap = report["resident"]["live_blocks"] + \
        report["resident"]["allocator_slack"]
    return seconds, peak, (report["residency"]["bytes"] - heap) * 100 / heap


def print_all(bench, _workloads):
    tables.print_title("Who keeps pages in memory: tally report --resident",
                       HEAD)
    for what, size, kept in SHAPES:
        command = [os.path.join(bench.build, "bin", "tally"), "record",
                   "--quiet", "-o", os.path.join(bench.folder, "heap.tally"),
                   os.path.join(bench.build, "bench", "residency"),
                   str(BYTES), size, kept]
        with subprocess.Popen(command, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as tally:
            if not tally.stdout.readline():
                raise measure.Failure(" ".join(command))
            seconds, peak, off = read(bench, str(tally.pid))
            tally.stdin.close()
        os.remove(os.path.join(bench.folder, "heap.tally"))
        middle = statistics.median(seconds)
        said = tables.verdict(max(middle / SECONDS, peak / MIB, abs(off)),
                              max(min(seconds) / SECONDS, peak / MIB,
                                  abs(off)), 1)
        tables.print_row([what, f"{middle:.2f} s",
                          f"{min(seconds):.2f} - {max(seconds):.2f}",
                          f"{peak:.1f} MiB", f"{off:+.2f} %",
                          f"{SECONDS:.0f} s, {MIB:.0f} MiB, 1 %", said])
        bench.verdicts.append((f"residency, {what}", said))
