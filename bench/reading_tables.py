# SPDX-License-Identifier: Apache-2.0
"""What reading a trace of calls costs: text of mem_trace, and memory for it.

Two programs are made up: one whose blocks live shortly, and one that frees
nothing until it holds all of them.
"""

import os
import random
import statistics

import measure
import tables

EVENTS = 2000000
MILLION_EVENTS_A_SECOND = 5.0
CALLERS = 2000

HEAD = ["what", "median", "range", "memory", "bound", "verdict"]


def write_short_lives(path):
    chance = random.Random(1)
    live, free, made = [], [], 0
    with open(path, "w", encoding="ascii") as file:
        for i in range(EVENTS):
            caller = 0x7f0000000000 + i % CALLERS * 16
            if live and chance.random() < 0.5:
                at = chance.randrange(len(live))
                live[at], live[-1] = live[-1], live[at]
                free.append(live.pop())
                file.write(f"#f:0x0;{caller:#x}-{free[-1]:#x}\n")
                continue
            if not free:
                free.append(0x55d0a0000000 + made * 48)
                made += 1
            live.append(free.pop())
            file.write(f"#m:{live[-1]:#x};{caller:#x}-{i % 977}\n")


def write_one_heap(path):
    with open(path, "w", encoding="ascii") as file:
        for i in range(EVENTS // 2):
            file.write(f"#m:{0x55d0a0000000 + i * 48:#x};"
                       f"{0x7f0000000000 + i % CALLERS * 16:#x}-{i % 977}\n")
        for i in range(EVENTS // 2):
            block = i * 7919 % (EVENTS // 2)
            file.write(f"#f:0x0;0x7f0000000010-"
                       f"{0x55d0a0000000 + block * 48:#x}\n")


def print_all(bench, _workloads):
    tables.print_title("Reading traces of calls, text", HEAD)
    tally = os.path.join(bench.build, "bin", "tally")
    short = os.path.join(bench.folder, "short.txt")
    heap = os.path.join(bench.folder, "heap.txt")
    write_short_lives(short)
    write_one_heap(heap)

    def row(what, command, limit):
        found = [EVENTS / 1e6 / measure.user_seconds(command, {}, None,
                                                     bench.folder)[0]
                 for _ in range(bench.rounds)]
        middle = statistics.median(found)
        peak = bench.peak(command, {}, None, bench.folder)
        said = tables.verdict(limit, limit, middle) if limit else ""
        tables.print_row([
            what, f"{middle:.1f} million a second",
            f"{min(found):.1f} - {max(found):.1f}", f"{peak / 1024:.1f} MiB",
            f"{limit:.1f} million a second" if limit else "", said])
        if said:
            bench.verdicts.append((f"reading, {what}", said))

    row("tally decode", [tally, "decode", short], MILLION_EVENTS_A_SECOND)
    row("tally decode --json", [tally, "decode", "--json", short],
        MILLION_EVENTS_A_SECOND)
    row("tally report", [tally, "report", short], MILLION_EVENTS_A_SECOND)
    row(f"tally report, {EVENTS // 2000000} million blocks live",
        [tally, "report", heap], None)
    os.remove(short)
    os.remove(heap)
