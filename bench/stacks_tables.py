# SPDX-License-Identifier: Apache-2.0
"""What whole stacks cost, and what others take for them in the same rounds.

Peers run in the first rounds only, the slowest of them in one: a round is as
long as they are. A ratio is over the plain run of the same round; that of a
profiling allocator over the same allocator not profiling.
"""

import os
import shutil
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
PEER_ROUNDS = 3
SLOW_SECONDS = 8.0  # what takes longer runs once
TIMES_OURS = 10.0  # that heaptrack adds at least
LEAST_SECONDS = 0.01  # what the kernel's clock of a process tells apart

PAIR_NS = {8: 12.0, 40: 35.0}  # frames: bound
PAIRS, PEER_PAIRS = 400_000, 40_000
THREADS = (1, 2, 4)
SCALING_BOUND = 1.10  # the ratio of many threads to that of one
NOT_BUILT = "NOT BUILT: tally record --help does not list it"

HEAD = ["workload", "mode", "plain", "ratio: median [lowest - highest]",
        "fastest / fastest", "adds", "adds, of ours", "bound", "verdict"]
SCALING_HEAD = ["loop", "plain", "whole stacks", "ratio", "against one",
                "bound", "verdict"]
PAIR_HEAD = ["frames", "mode", "plain", "more: median [lowest - highest]",
             "fastest - fastest", "bound", "verdict"]


class Runs:
    """The rounds of one workload: seconds of each mode and of each peer."""

    def __init__(self, bench, workload, there):
        self.bench, self.workload, self.there = bench, workload, there
        self.seconds = {}  # name: {round: seconds}
        self.remarks = {}  # name: why it has no figure, or what to know

    def ours(self, mode, number):
        self.seconds.setdefault(mode, {})[number] = self.bench.run(
            measure.user_seconds, self.workload, mode)[0]

    def peer(self, name, number):
        if name in self.remarks and name not in self.seconds:
            return  # it could not be run
        took = self.seconds.setdefault(name, {})
        if took and max(took.values()) > SLOW_SECONDS:
            return
        try:
            took[number], _, remark = peers.run(
                name, self.there[name], self.workload.command,
                self.workload.environment, self.workload.stdin,
                self.bench.folder)
        except measure.Failure as failure:
            del self.seconds[name]
            remark = str(failure)
        if remark:
            self.remarks[name] = remark

    def all_rounds(self, modes):
        for name, peer in self.there.items():
            if peer.absence is not None:
                self.remarks[name] = peer.absence
        for number in range(self.bench.rounds):
            names = [*modes, *(self.there if number < PEER_ROUNDS else ())]
            shift = number % len(names)
            for name in names[shift:] + names[:shift]:
                (self.ours if name in modes else self.peer)(name, number)

    def adds(self, name, base=wl.PLAIN):
        """Seconds more than the base, of each round that has both."""
        return [took - self.seconds[base][number]
                for number, took in self.seconds[name].items()
                if number in self.seconds.get(base, {})]


def peer_row(runs, workload_name, name, ours):
    seconds, base = runs.seconds.get(name), BASE.get(name, wl.PLAIN)
    if not seconds or not runs.adds(name, base):
        reason = runs.remarks.get(name, "no figure")
        return [workload_name, name, "", f"NOT MEASURED: {reason}"] + [""] * 5
    plain = runs.seconds[base]
    ratios = [took / plain[number] for number, took in seconds.items()
              if number in plain]
    added = statistics.median(runs.adds(name, base))
    times = added / max(ours, LEAST_SECONDS)
    what = name + (f" (of {base})" if base != wl.PLAIN else "")
    remark = runs.remarks.get(name)
    is_judged = name == peers.HEAPTRACK
    return [workload_name, what + (f"; {remark}" if remark else ""),
            f"{statistics.median(plain.values()):.2f} s",
            f"{statistics.median(ratios):.2f} "
            f"[{min(ratios):.2f} - {max(ratios):.2f}]",
            f"{min(seconds.values()) / min(plain.values()):.2f}",
            f"{added:+.2f} s", f"{times:.1f}",
            f"{TIMES_OURS:.0f} times ours" if is_judged else "",
            tables.verdict(TIMES_OURS, TIMES_OURS, times) if is_judged else ""]


def our_rows(name, workload, runs):
    """Rows like those of the table of time, with what is added."""
    plain = runs.seconds[wl.PLAIN]
    for mode in OURS:
        if mode not in runs.seconds:
            yield [name, mode, "", NOT_BUILT] + [""] * 5
            continue
        seconds = {wl.PLAIN: list(plain.values()),
                   mode: list(runs.seconds[mode].values())}
        row = next(tables.time_rows(name, workload, seconds))
        added = statistics.median(runs.adds(mode))
        yield [*row[:5], f"{added:+.2f} s", "", *row[5:]]


def workload_rows(bench, name, workload, there):
    runs = Runs(bench, workload, there)
    runs.all_rounds(bench.built((wl.PLAIN, *OURS)))
    yield from our_rows(name, workload, runs)
    ours = statistics.median(runs.adds(wl.STACKS))
    for peer in there:
        yield peer_row(runs, name, peer, ours)


def system_row(bench, name, workload):
    """What many threads cost is the kernel's time as well."""
    found = bench.rotate(measure.processor_seconds, workload,
                         (wl.PLAIN, wl.STACKS), bench.rounds)
    seconds = {mode: [run[0] for run in found[mode]] for mode in found}
    row = next(tables.time_rows(name, workload, seconds))
    added = statistics.median(
        more - less for more, less in zip(seconds[wl.STACKS],
                                          seconds[wl.PLAIN]))
    return [name, "whole stacks, user and system time", *row[2:5],
            f"{added:+.2f} s", "", "", ""]


def print_workloads(bench, workloads, there):
    tables.print_title(
        f"Whole stacks and peers, user time, rounds: "
        f"{bench.rounds}, of peers {min(bench.rounds, PEER_ROUNDS)}", HEAD)
    fill = [(name, workload, there) for name, workload in workloads.items()
            if workload.caller is not None]
    if set(workloads) == set(bench.table(1)):
        fill += [(name, workload, {})
                 for name, workload in wl.beside(bench.build).items()]
    for name, workload, with_peers in fill:
        if shutil.which(workload.command[0]) is None:
            tables.print_row([name, "", "", "NOT MEASURED: no "
                              f"{os.path.basename(workload.command[0])}"]
                             + [""] * 5)
            continue
        try:
            rows = list(workload_rows(bench, name, workload, with_peers))
            if name == "10,000 threads":
                rows.append(system_row(bench, name, workload))
            bench.print_rows(rows)
        except measure.Failure as failure:
            bench.print_rows([[name, wl.STACKS, "", f"failed: {failure}"]
                              + [""] * 4 + [tables.NOT_MET]])


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
    if set(workloads) != {"micro"}:
        print_workloads(bench, workloads, there)
    if "micro" in workloads:
        print_pairs(bench, there)
        print_scaling(bench)
    print("\nA peer's command line is its name before that of the program: "
          + "; ".join(f"{name}: " + " ".join(
              [f"{key}={value}" for key, value in peer.environment.items()]
              + list(peer.prefix)).replace(bench.folder, "FOLDER")
              for name, peer in there.items()
              if peer.environment or peer.prefix) + ".")
