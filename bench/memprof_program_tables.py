# SPDX-License-Identifier: Apache-2.0
"""What sampling with trackers costs whole programs: sqlite, perl and python.

Bounds are of the same program with the recorder preloaded that does not sample;
what that costs by itself stands first. An allocator that samples is held
against itself, not sampling.
"""

import os
import statistics

import measure
import memprof_tables
import peers
import tables
import workload_list as wl

PROGRAMS = ("sqlite", "perl", "python")
BOUNDS = {"1e-4": 1.01, "1e-3": 1.05, "1e-2": 1.30}
EVERY_512_KIB = "1.52587890625e-05"  # a word of 8 bytes in 65,536
PLAIN, UNSAMPLED = "plain", "not sampling"
ALLOCATORS = {peers.JEMALLOC: PLAIN, peers.JEMALLOC_PROF: peers.JEMALLOC,
              peers.TCMALLOC: PLAIN, peers.TCMALLOC_SAMPLE: peers.TCMALLOC}

HEAD = ["program", "sampling", "ratio: median [lowest - highest]",
        "fastest / fastest", "over", "over plain", "bound", "verdict"]
COUNT_HEAD = ["program", "sampling", "instructions", "over not sampling",
              "over plain", "bound", "verdict"]


def preloaded(bench, rate=None):
    """The environment of a program that samples at `rate`, or does not."""
    libraries = (os.path.join(bench.build, "lib", "libtally-record.so"),
                 os.path.join(bench.build, "bench", "libmemprof_start.so"))
    settings = {"LD_PRELOAD": ":".join(libraries)}
    return settings | ({"MEMPROF_RATE": rate} if rate else {})


def ways(bench):
    """{name: (environment, what it is held against)}, and what is not there."""
    found, absent = {PLAIN: ({}, None)}, {}
    if memprof_tables.is_built(bench):
        found[UNSAMPLED] = (preloaded(bench), PLAIN)
        for rate in (*BOUNDS, EVERY_512_KIB):
            found[rate] = (preloaded(bench, rate), UNSAMPLED)
    else:
        absent["ours"] = "NOT BUILT: no tally/memprof.h"
    there = peers.all_peers(bench.folder)
    for name, base in ALLOCATORS.items():
        if there[name].absence is None:
            found[name] = (there[name].environment, base)
        else:
            absent[name] = f"NOT MEASURED: {there[name].absence}"
    return found, absent


def said_of(way):
    return "512 KiB, by ours" if way == EVERY_512_KIB else way


def seconds_of(bench, workload, found):
    """{way: [user seconds of each round]}, in an order that rotates."""
    seconds = {way: [] for way in found}
    names = list(found)
    os.makedirs(os.path.join(bench.folder, "peer"), exist_ok=True)
    for number in range(bench.rounds):
        shift = number % len(names)
        for way in names[shift:] + names[:shift]:
            seconds[way].append(measure.user_seconds(
                workload.command, {**workload.environment, **found[way][0]},
                workload.stdin, bench.folder)[0])
    return seconds


def rows_of(name, seconds, found):
    for way, (_, base) in found.items():
        if base is None:
            continue
        ratios = [took / less for took, less in zip(seconds[way],
                                                    seconds[base])]
        of_plain = [took / less for took, less in zip(seconds[way],
                                                      seconds[PLAIN])]
        best = min(seconds[way]) / min(seconds[base])
        typical = statistics.median(ratios)
        yield [name, said_of(way),
               f"{typical:.3f} [{min(ratios):.3f} - {max(ratios):.3f}]",
               f"{best:.3f}", base, f"{statistics.median(of_plain):.3f}",
               f"{BOUNDS[way]:.2f}" if way in BOUNDS else "",
               tables.verdict(typical, best, BOUNDS.get(way))]


def print_times(bench, workloads):
    found, absent = ways(bench)
    tables.print_title(f"Sampling whole programs, user time, {bench.rounds} "
                       "rounds", HEAD)
    for way, why in absent.items():
        tables.print_row(["each", way, why] + [""] * 5)
    for name in PROGRAMS:
        if name not in workloads:
            continue
        try:
            bench.print_rows(rows_of(
                name, seconds_of(bench, workloads[name], found), found))
        except measure.Failure as failure:
            bench.print_rows([[name, "", f"failed: {failure}"] + [""] * 4
                              + [tables.NOT_MET]])


def print_counts(bench, workloads):
    """What a clock cannot tell apart."""
    tables.print_title("Sampling whole programs, instructions by callgrind, "
                       "inputs of a twentieth, no rseq", COUNT_HEAD)
    if not memprof_tables.is_built(bench):
        tables.print_row(["each", "NOT BUILT: no tally/memprof.h"] + [""] * 5)
        return
    small = bench.table(wl.SMALL)

    def count(workload, environment):
        return measure.callgrind_instructions(
            [*measure.CALLGRIND, *workload.command],
            {**workload.environment, **environment}, workload.stdin,
            bench.folder)

    def rows_of_counts(name):
        plain = count(small[name], {})
        unsampled = count(small[name], preloaded(bench))
        for rate in (None, *BOUNDS):
            seen = unsampled if rate is None else count(small[name],
                                                        preloaded(bench, rate))
            ratio = seen / unsampled
            bound = BOUNDS.get(rate)
            yield [name, rate or UNSAMPLED, f"{seen / 1e6:,.0f} M",
                   f"{ratio:.4f}", f"{seen / plain:.4f}",
                   f"{bound:.2f}" if bound else "",
                   tables.verdict(ratio, ratio, bound)]

    for name in PROGRAMS:
        if name not in workloads:
            continue
        try:
            bench.print_rows(rows_of_counts(name))
        except measure.Failure as failure:
            bench.print_rows([[name, "", f"failed: {failure}"] + [""] * 3
                              + [tables.NOT_MET]])


def print_all(bench, workloads):
    print_times(bench, workloads)
    print_counts(bench, workloads)
