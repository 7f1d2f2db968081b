# SPDX-License-Identifier: Apache-2.0
"""What an event of the profiler costs, a round, and reading a trace.

zpl.c measures the first two and writes the trace; tally decode and babeltrace2
read it.
"""

import os
import shutil
import statistics

import measure
import tables

EVENTS = 1000000
EVENT_NS = 60.0
ROUND_US = 20.0
MILLION_EVENTS_A_SECOND = 5.0

HEAD = ["what", "median", "range", "beside it", "bound", "verdict"]


def figures(bench):
    """{name: [value of each round]}"""
    values = {}
    for _ in range(bench.rounds):
        _, printed = measure.run([os.path.join(bench.build, "bench", "zpl")],
                                 library(bench), None, bench.folder)
        for line in printed.splitlines():
            name, value = line.split()
            values.setdefault(name, []).append(float(value))
    return values


def library(bench):
    return {"LD_LIBRARY_PATH": os.path.join(bench.build, "lib")}


def rates(bench, folder, command):
    """Million events a second of user and system time."""
    return [EVENTS / 1e6 / measure.user_seconds(
        command + [folder], {}, None, bench.folder)[0]
        for _ in range(bench.rounds)]


def print_all(bench, _workloads):
    values = figures(bench)
    tables.print_title("The profiler of regions, and its traces", HEAD)

    def row(what, found, beside, limit, unit, is_least=False):
        said = ""
        if limit is not None:
            middle = statistics.median(found)
            said = tables.verdict(limit, limit, middle) if is_least else \
                tables.verdict(middle, min(found), limit)
        tables.print_row([
            what, f"{statistics.median(found):.1f} {unit}",
            f"{min(found):.1f} - {max(found):.1f}", beside,
            f"{limit:.1f} {unit}" if limit else "", said])
        if said:
            bench.verdicts.append((f"zpl, {what}", said))

    def median(name):
        return statistics.median(values[name])

    row("emit an event, CTF", values["emit_ctf"], "the clock and a lock in it",
        EVENT_NS, "ns")
    row("emit an event, text", values["emit_text"], "", None, "ns")
    row("emit faster than is sent", values["emit_to_thread"], "events are lost",
        None, "ns")
    row(f"a round of {median('round_regions'):.0f} regions, CPU",
        [ns / 1000 for ns in values["round_cpu"]],
        f"{median('round_wall') / 1000:.1f} us by the clock", ROUND_US, "us")

    folder = os.path.join(bench.folder, "trace")
    measure.run([os.path.join(bench.build, "bench", "zpl"), folder,
                 str(EVENTS)], library(bench), None, bench.folder)
    tally = [os.path.join(bench.build, "bin", "tally"), "decode"]
    peaks = bench.peak(tally + [folder], {}, None, bench.folder)
    row("tally decode, text", rates(bench, folder, tally),
        f"{peaks / 1024:.1f} MiB at most", MILLION_EVENTS_A_SECOND,
        "million a second", is_least=True)
    if shutil.which("babeltrace2") is not None:
        for name, options in (("babeltrace2, text", []),
                              ("babeltrace2, to nothing",
                               ["--output-format=dummy"])):
            row(name, rates(bench, folder, ["babeltrace2"] + options), "", None,
                "million a second")
    shutil.rmtree(folder)
