# SPDX-License-Identifier: Apache-2.0
"""What recording costs whole programs, beside other recorders.

A round runs each program plainly, in each mode and under each peer, in an order
that rotates. A ratio is over the plain run of the same round; that of a
profiling allocator over the same allocator not profiling. Each run is kept in
BUILD/bench/costs.json when it ends, so that --resume goes on after a stop.
Peers run in the first round, then in each that leaves time for our own modes in
all rounds; a slow peer runs once.

Instructions are counted on inputs of a twentieth, on all processors at once,
since load does not change them; they are kept for as long as the binaries stay.
"""

import concurrent.futures
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import measure
import peers
import tables
import workload_list as wl

OURS = (wl.STACKS, wl.CALLER, wl.SAMPLED, wl.OVERHEAD)
COUNTED = (wl.PLAIN, wl.STACKS, wl.CALLER, wl.SAMPLED)
PEERS = (peers.HEAPTRACK, peers.LTTNG, peers.JEMALLOC, peers.JEMALLOC_PROF)
SHOWN_PEERS = (peers.HEAPTRACK, peers.LTTNG, peers.JEMALLOC_PROF)
BASE = {peers.JEMALLOC_PROF: peers.JEMALLOC}
SLOW_SECONDS = 8.0  # a peer that takes longer runs once
LEAST_SECONDS = 0.01  # resolution of a process's clock
TIMES_OURS = {"openscad": 20.0}  # least that heaptrack adds; others:
TIMES_OURS_ALL = 10.0

HEAD = ["program", "plain", *OURS, *SHOWN_PEERS, "heaptrack adds"]
COUNT_HEAD = ["program", *COUNTED]
BOUNDS_HEAD = ["program", "bounded", "measured", "bound", "verdict"]
DOCUMENT = os.path.join(os.path.dirname(wl.BENCH), "docs", "benchmarks.md")
MARKED = re.compile(r"(<!-- costs -->\n).*(<!-- end of costs -->)", re.S)


class Kept:
    """Results of finished runs, in a file with a line for each."""

    def __init__(self, path, subject, is_resumed):
        self.path, self.values = path, {}
        self.begun = {"subject": subject, "machine": measure.machine()}
        with contextlib.suppress(OSError, ValueError), \
                open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
            if is_resumed and lines[0]["subject"] == subject:
                self.begun = lines[0]
                self.values = {tuple(key): value for key, value in lines[1:]}
        with open(path, "w", encoding="utf-8") as file:
            for line in (self.begun, *self.values.items()):
                file.write(json.dumps(line) + "\n")

    def add(self, key, value):
        self.values[key] = value
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps([key, value]) + "\n")


def subject(build):
    digest = hashlib.sha256()
    for name in ("bin/tally", "lib/libtally-record.so"):
        with open(os.path.join(build, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


@contextlib.contextmanager
def client_of(workload, folder):
    """Run the client of a server beside it."""
    if workload.client is None:
        yield
        return
    with subprocess.Popen(workload.client, cwd=folder,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as client:
        try:
            yield
        finally:
            client.terminate()


class Table:
    """Runs of all programs in all modes."""

    def __init__(self, bench, programs):
        self.bench, self.programs = bench, programs
        self.there = {name: peer for name, peer in peers.all_peers(
            bench.folder).items() if name in PEERS}
        self.kept = Kept(os.path.join(bench.build, "bench", "costs.json"),
                         subject(bench.build), bench.is_resumed)

    def run(self, name, mode, number):
        """Keep seconds, or the reason why there are none; and the time that
        it took."""
        workload, begun = self.programs[name], time.monotonic()
        seconds = None
        try:
            with client_of(workload, self.bench.folder):
                if mode in wl.MODES:
                    seconds, said = self.bench.run(measure.user_seconds,
                                                   workload, mode)[0], ""
                else:
                    seconds, _, said = peers.run(
                        mode, self.there[mode], workload.command,
                        workload.environment, workload.stdin,
                        self.bench.folder)
        except measure.Failure as failure:
            said = str(failure)
        self.kept.add((name, mode, number), {
            "seconds": seconds, "said": said,
            "took": time.monotonic() - begun})

    def values(self, name, mode):
        """{round: what was kept}"""
        return {key[2]: value for key, value in self.kept.values.items()
                if key[:2] == (name, mode)}

    def seconds(self, name, mode):
        return {number: value["seconds"]
                for number, value in self.values(name, mode).items()
                if value["seconds"] is not None}

    def modes(self, name, number, with_peers):
        """Modes of a round that have no result yet."""
        modes = [wl.PLAIN, *OURS]
        for peer, how in self.there.items():
            first = self.kept.values.get((name, peer, 0))
            if how.absence is None and with_peers and (
                    number == 0 or first["seconds"] is not None
                    and first["seconds"] < SLOW_SECONDS):
                modes.append(peer)
        shift = number % len(modes)
        return [mode for mode in modes[shift:] + modes[:shift]
                if (name, mode, number) not in self.kept.values]

    def time_of(self, is_peer, number=0):
        """Seconds that the missing runs of a round will take."""
        return sum(self.kept.values[name, mode, 0]["took"]
                   for name in self.programs
                   for mode in self.modes(name, number, is_peer)
                   if (mode in self.there) == is_peer)

    def run_all(self, end):
        """Run all rounds that there is time for."""
        for number in range(self.bench.rounds):
            left, with_peers = end - time.monotonic(), number == 0
            if number > 0:
                ours = self.time_of(False, number)
                rounds = self.bench.rounds - number
                with_peers = ours * rounds + self.time_of(True, number) <= left
                if ours > left:
                    print(f"\nNo time for round {number + 1}: --resume runs "
                          "it.")
                    return
            for name in self.programs:
                for mode in self.modes(name, number, with_peers):
                    self.run(name, mode, number)

    def ratios(self, name, mode):
        base = self.seconds(name, BASE.get(mode, wl.PLAIN))
        return [took / max(base[number], LEAST_SECONDS)
                for number, took in self.seconds(name, mode).items()
                if number in base]

    def adds(self, name, mode):
        base = self.seconds(name, wl.PLAIN)
        found = [took - base[number] for number, took in
                 self.seconds(name, mode).items() if number in base]
        return statistics.median(found) if found else None

    def cell(self, name, mode):
        ratios = self.ratios(name, mode)
        if not ratios:
            how = self.there.get(mode)
            said = [value["said"] for value in
                    self.values(name, mode).values()]
            return (how and how.absence or " ".join(said)[-60:] or
                    "not run").replace("|", "")
        spread = f" [{min(ratios):.2f} - {max(ratios):.2f}]" \
            if len(ratios) > 1 else ""
        lost = any(value["said"] for value in self.values(name, mode).values())
        return f"{statistics.median(ratios):.2f}{spread}" + (
            ", events lost" if lost else "")

    def times_ours(self, name):
        """What heaptrack adds, over what whole stacks add."""
        theirs, ours = (self.adds(name, mode)
                        for mode in (peers.HEAPTRACK, wl.STACKS))
        if theirs is None or ours is None:
            return None
        return theirs / max(ours, LEAST_SECONDS)

    def print(self):
        rounds = {len(self.seconds(name, mode)) for name in self.programs
                  for mode in (wl.PLAIN, *OURS)}
        tables.print_title(
            f"Whole programs, user time, rounds: {min(rounds)}", HEAD)
        for name in self.programs:
            plain = self.seconds(name, wl.PLAIN).values()
            times = self.times_ours(name)
            tables.print_row(
                [name, f"{statistics.median(plain):.2f} s" if plain else "",
                 *(self.cell(name, mode) for mode in (*OURS, *SHOWN_PEERS)),
                 f"{times:.1f} times ours" if times else ""])

    def bounds(self, counts):
        """Yield the rows of all bounds; `counts` are ratios of
        instructions."""
        for name, workload in self.programs.items():
            for mode, bound in ((wl.STACKS, workload.stacks),
                                (wl.OVERHEAD, workload.overhead)):
                ratios = self.ratios(name, mode)
                if bound and ratios:
                    typical = statistics.median(ratios)
                    yield [name, f"{mode}, user time", f"{typical:.3f}",
                           f"{bound:.3f}",
                           tables.verdict(typical, min(ratios), bound)]
            count = counts.get((name, wl.STACKS))
            if workload.counts and count:
                yield [name, f"{wl.STACKS}, instructions", f"{count:.3f}",
                       f"{workload.counts:.3f}",
                       tables.verdict(count, count, workload.counts)]
            times = self.times_ours(name)
            if times is not None:
                least = TIMES_OURS.get(name, TIMES_OURS_ALL)
                yield [name, "heaptrack adds", f"{times:.1f} times ours",
                       f"{least:.0f} times",
                       tables.verdict(least, least, times)]


def count(make_bench, build, name, mode):
    """Instructions of one run, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="tally-bench-") as folder:
        bench = make_bench(build, folder, 1)
        workload = wl.programs(build, os.path.join(bench.inputs, "small"),
                               wl.SMALL)[name]
        try:
            return bench.run(measure.callgrind_instructions, workload, mode,
                             measure.CALLGRIND)
        except measure.Failure as failure:
            return str(failure)[-60:]


def count_all(bench, programs):
    """Return the names of counted programs, and what is kept of them."""
    kept = Kept(os.path.join(bench.build, "bench", "costs_counts.json"),
                subject(bench.build), True)
    names = [name for name, workload in programs.items() if workload.is_counted]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting = {pool.submit(count, type(bench), bench.build,
                               name, mode): (name, mode)
                   for name in names for mode in COUNTED
                   if (name, mode) not in kept.values}
        for done in concurrent.futures.as_completed(waiting):
            kept.add(waiting[done], done.result())
    return names, kept


def print_counts(names, kept):
    """Print instructions; return the ratios, {(name, mode): ratio}."""
    tables.print_title("Instructions by callgrind, inputs of a twentieth",
                       COUNT_HEAD)
    ratios = {}
    for name in names:
        cells, plain = [], kept.values[name, wl.PLAIN]
        for mode in COUNTED:
            value = kept.values[name, mode]
            if isinstance(value, str) or isinstance(plain, str):
                cells.append("failed" if mode == wl.PLAIN else "")
            elif mode == wl.PLAIN:
                cells.append(f"{value / 1e6:,.0f} M")
            else:
                ratios[name, mode] = value / plain
                cells.append(f"{value / plain:.3f}")
        tables.print_row([name, *cells])
    return ratios


def print_all(bench, workloads):
    """Print the tables; with --docs, write them to the document and draw the
    picture."""
    del workloads
    programs = {name: workload for name, workload in wl.programs(
        bench.build, bench.inputs, 1).items()
                if not bench.names or name in bench.names}
    for name in [name for name, workload in programs.items()
                 if shutil.which(workload.command[0]) is None]:
        print(f"NOT MEASURED: {name}: no {programs.pop(name).command[0]}")
    end = time.monotonic() + 60 * bench.minutes
    counts = count_all(bench, programs)
    table = Table(bench, programs)
    table.run_all(end)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        print(f"\n{table.kept.begun['machine']}")
        table.print()
        ratios = print_counts(*counts)
        tables.print_title("Bounds", BOUNDS_HEAD)
        bench.print_rows(table.bounds(ratios))
        print("\nA peer's command line is what stands before that of the "
              "program: " + "; ".join(
                  f"{name}: " + " ".join(
                      [f"{key}={value}" for key, value in
                       peer.environment.items()] + list(peer.prefix)).replace(
                           bench.folder, "FOLDER")
                  for name, peer in table.there.items()
                  if peer.environment or peer.prefix) + ".")
    print(text.getvalue())
    if bench.is_written:
        with open(DOCUMENT, encoding="utf-8") as file:
            before = file.read()
        after = MARKED.sub(lambda found: found[1] + text.getvalue() + "\n"
                           + found[2], before)
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(after)
        subprocess.run([os.path.join(os.path.dirname(wl.BENCH), "scripts",
                                     "draw-costs")], check=True)
