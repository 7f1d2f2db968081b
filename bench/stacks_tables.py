# SPDX-License-Identifier: Apache-2.0
"""What a malloc and its free cost with the stack of each, in ours and others;
and what threads cost. costs_tables.py has whole programs."""

import os
import statistics

import measure
import peers
import tables
import workload_list as wl

OURS = (wl.STACKS, wl.SAMPLED)
PEERS = (peers.HEAPTRACK, peers.HEAPTRACK_RAW, peers.LTTNG, peers.JEMALLOC,
         peers.JEMALLOC_PROF, peers.JEMALLOC_EACH, peers.MEMUSAGE)
BASE = {peers.JEMALLOC_PROF: peers.JEMALLOC,
        peers.JEMALLOC_EACH: peers.JEMALLOC}

PAIR_NS = {8: 12.0, 40: 35.0}  # frames: bound
PAIRS, PEER_PAIRS = 400_000, 40_000
THREADS = (1, 2, 4)
SCALING_BOUND = 1.10  # the ratio of many threads to that of one
NOT_BUILT = "NOT BUILT: tally record --help does not list it"

SCALING_HEAD = ["loop", "plain", "whole stacks", "ratio", "against one",
                "bound", "verdict"]
PAIR_HEAD = ["frames", "mode", "plain", "more: median [lowest - highest]",
             "fastest - fastest", "bound", "verdict"]


def print_threads(bench):
    """What many threads cost is the kernel's time as well."""
    tables.print_title("10,000 threads, user and system time, rounds: "
                       f"{bench.rounds}", tables.TIME_HEAD)
    workload = wl.beside(bench.build)["10,000 threads"]
    found = bench.rotate(measure.processor_seconds, workload,
                         (wl.PLAIN, wl.STACKS), bench.rounds)
    for cells in tables.time_rows(
            "10,000 threads", workload,
            {mode: [run[0] for run in found[mode]] for mode in found}):
        tables.print_row([*cells[:-2], "", ""])


def pair_row(frames, name, plain, seen, limit):
    """`plain` and `seen` are [(median, fastest) ns of each round]."""
    more = [many[0] - few[0] for many, few in zip(seen, plain)]
    typical = statistics.median(more)
    best = min(many[1] for many in seen) - min(few[1] for few in plain)
    return [f"{frames}", name,
            f"{statistics.median(few[0] for few in plain):.1f} ns",
            f"{typical:+.1f} ns [{min(more):+.1f} - {max(more):+.1f}]",
            f"{best:+.1f} ns", f"+{limit:.0f} ns" if limit else "",
            tables.verdict(typical, best, limit)]


def pair_ns(printed):
    """(median, fastest) that micro printed, among what a peer did."""
    for line in printed.splitlines():
        words = line.split()
        if len(words) == 2 and all(word.replace(".", "").isdigit()
                                   for word in words):
            return float(words[0]), float(words[1])
    raise measure.Failure("no figure: " + " ".join(printed.split())[-200:])


def pair_rows(bench, frames, there):
    def workload(count):
        return wl.Workload(None, None, (f"{bench.build}/bench/micro",
                                        str(count), str(frames)), ())

    modes = bench.built((wl.PLAIN, *OURS))
    found = bench.rotate(measure.user_seconds, workload(PAIRS), modes,
                         bench.rounds)
    seen = {mode: [pair_ns(run[1]) for run in found[mode]] for mode in found}
    for mode in OURS:
        if mode not in modes:
            yield [f"{frames}", mode, NOT_BUILT, "", "", "", ""]
            continue
        yield pair_row(frames, mode, seen[wl.PLAIN], seen[mode],
                       PAIR_NS[frames] if mode == wl.STACKS else None)
    for name, peer in there.items():
        try:
            if peer.absence is not None:
                raise measure.Failure(peer.absence)
            _, text, _ = peers.run(name, peer, workload(PEER_PAIRS).command,
                                   {}, None, bench.folder)
            seen[name] = [pair_ns(text)]
            base = BASE.get(name, wl.PLAIN)
            if base not in seen:
                raise measure.Failure(f"no figure for {base}")
            yield pair_row(frames, name + (
                f" (of {base})" if base != wl.PLAIN else ""), seen[base],
                seen[name], None)
        except measure.Failure as failure:
            yield [f"{frames}", name, f"NOT MEASURED: {failure}", "", "", "",
                   ""]


def print_pairs(bench, there):
    tables.print_title("A malloc and its free with the stack of each, "
                       f"rounds: {bench.rounds}, of peers 1", PAIR_HEAD)
    for frames in PAIR_NS:
        try:
            bench.print_rows(pair_rows(bench, frames, there))
        except measure.Failure as failure:
            bench.print_rows([[f"{frames}", "", f"failed: {failure}", "", "",
                               "", tables.NOT_MET]])


def print_scaling(bench):
    """A cache line that threads shared would show here."""
    tables.print_title("A malloc and its free with its stack in several "
                       f"threads, {os.cpu_count()} CPUs, {bench.rounds} rounds",
                       SCALING_HEAD)
    first = None
    for threads in THREADS:
        command = (f"{bench.build}/bench/micro", str(PAIRS), "8", str(threads))
        found = bench.rotate(measure.user_seconds,
                             wl.Workload(None, None, command, ()),
                             (wl.PLAIN, wl.STACKS), bench.rounds)
        plain, stacks = (statistics.median(pair_ns(run[1])[0]
                                           for run in found[mode])
                         for mode in (wl.PLAIN, wl.STACKS))
        ratio = stacks / plain
        first = first or ratio
        is_judged = threads > 1
        bench.print_rows([[
            f"{threads} threads" if is_judged else "1 thread",
            f"{plain:.2f} ns", f"{stacks:.2f} ns", f"{ratio:.3f}",
            f"{ratio / first:.3f}", f"{SCALING_BOUND:.2f}" if is_judged else "",
            tables.verdict(ratio / first, ratio / first, SCALING_BOUND)
            if is_judged else ""]])


def print_all(bench, workloads):
    there = {name: peer for name, peer in peers.all_peers(
        bench.folder).items() if name in PEERS}
    if "micro" in workloads:
        print_threads(bench)
        print_pairs(bench, there)
        print_scaling(bench)
    print("\nA peer's command line is its name before that of the program: "
          + "; ".join(f"{name}: " + " ".join(
              [f"{key}={value}" for key, value in peer.environment.items()]
              + list(peer.prefix)).replace(bench.folder, "FOLDER")
              for name, peer in there.items()
              if peer.environment or peer.prefix) + ".")
