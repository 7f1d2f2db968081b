# SPDX-License-Identifier: Apache-2.0
"""What sampling with trackers costs, beside OCaml's and beside allocators that
sample.

The loops are memprof_loop.c and workloads/memprof_loop.ml: blocks of as many
words, from as many calls below main, freed at once by the one and left to the
collector by the other. Programs have the recorder preloaded, and
memprof_start.c, which starts a profile at the rate that it is told.
"""

import os
import shutil
import statistics
import subprocess

import measure
import tables
import workload_list as wl

OFF = "off"
RATES = ("0", "1e-5", "1e-4", "1e-3", "1e-2", "1.0")
COUNTS = {"1e-2": 4_000_000, "1.0": 400_000}  # of blocks; else MOST
MOST = 15_000_000
DEPTH = 8

# what: (bytes: smallest, largest, step; words: smallest, largest)
SHAPES = {"1 word": ((8, 8, 8), (1, 1)),
          "1 to 30 words": ((8, 240, 8), (1, 30))}

MORE_NS = 1.0  # of an allocation that is not sampled
BLOCK_NS = 300.0
BLOCKS = ((8, 8), (64, 8), (240, 8), (1024, 8), (2048, 8), (4096, 8),
          (65536, 8), (64, 40))  # bytes, depth
KEPT = 500_000

LOOP_HEAD = ["blocks", "rate", "OCaml's", "of not sampling", "ours",
             "of not sampling"]
HEAD = ["what", "median", "range", "beside it", "bound", "verdict"]


class Loops:
    """The loops of both languages; `missing` says why one is not there."""

    def __init__(self, bench):
        self.bench = bench
        self.ours = os.path.join(bench.build, "bench", "memprof_loop")
        self.missing = {}
        if not is_built(bench):
            self.missing["ours"] = "NOT BUILT: no tally/memprof.h"
        self.ocaml = os.path.join(bench.folder, "ocaml", "loop")
        self.compile()

    def compile(self):
        if shutil.which("ocamlopt") is None:
            self.missing["ocaml"] = "NOT MEASURED: no ocamlopt; install " \
                                    "ocaml-nox"
            return
        folder = os.path.dirname(self.ocaml)
        os.makedirs(folder, exist_ok=True)
        shutil.copy(f"{wl.SOURCES}/memprof_loop.ml", folder)
        done = subprocess.run(["ocamlopt", "-g", "-o", self.ocaml,
                               "memprof_loop.ml"], cwd=folder, check=False,
                              stdout=subprocess.PIPE, encoding="utf-8",
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            self.missing["ocaml"] = "NOT MEASURED: " + " ".join(
                done.stdout.split())[:80]

    def run(self, command):
        library = os.path.join(self.bench.build, "lib")
        _, printed = measure.run([str(word) for word in command],
                                 {"LD_LIBRARY_PATH": library}, None,
                                 self.bench.folder)
        return [float(word) for word in printed.split()]

    def block_ns(self, rate, sizes, depth=DEPTH, program=None):
        """Median and fastest slice of a C loop."""
        return self.run([program or self.ours, rate, COUNTS.get(rate, MOST),
                         *sizes, depth])

    def ocaml_ns(self, rate, words):
        return self.run([self.ocaml, rate, COUNTS.get(rate, MOST), *words,
                         DEPTH])


def is_built(bench):
    return os.path.exists(os.path.join(bench.build, "bench", "memprof_loop"))


def print_loops(bench, loops):
    version = "" if "ocaml" in loops.missing else subprocess.run(
        ["ocamlopt", "-version"], stdout=subprocess.PIPE, encoding="utf-8",
        check=False).stdout.strip()
    tables.print_title(
        f"Sampling a loop that only allocates, beside OCaml {version}'s "
        f"Gc.Memprof, ns for each block, median of {bench.rounds} rounds",
        LOOP_HEAD)
    for shape, (sizes, words) in SHAPES.items():
        ns = {"ocaml": {}, "ours": {}}
        for _ in range(bench.rounds):
            for rate in (OFF, *RATES):
                for who, run in (
                        ("ocaml", lambda r=rate: loops.ocaml_ns(r, words)),
                        ("ours", lambda r=rate: loops.block_ns(r, sizes))):
                    if who not in loops.missing:
                        ns[who].setdefault(rate, []).append(run()[0])
        for rate in (OFF, *RATES):
            tables.print_row([shape, rate, *cells(loops, ns, "ocaml", rate),
                              *cells(loops, ns, "ours", rate)])


def cells(loops, ns, who, rate):
    if who in loops.missing:
        return [loops.missing[who], ""]
    middle = statistics.median(ns[who][rate])
    ratios = [value / off for value, off in zip(ns[who][rate], ns[who][OFF])]
    return [f"{middle:.2f} ns", f"{statistics.median(ratios):.2f}"]


class Table:
    """Rows of one figure each."""

    def __init__(self, bench, title):
        self.bench = bench
        tables.print_title(title, HEAD)

    def row(self, what, found, beside="", limit=None, unit=" ns", digits=1):
        middle = statistics.median(found)
        said = tables.verdict(middle, min(found), limit)
        tables.print_row([
            what, f"{middle:.{digits}f}{unit}",
            f"{min(found):.{digits}f} - {max(found):.{digits}f}", beside,
            f"{limit:.{digits}f}{unit}" if limit else "", said])
        if said:
            self.bench.verdicts.append((f"memprof, {what}", said))

    def absent(self, what, why):
        tables.print_row([what, why, "", "", "", ""])


def print_blocks(bench, loops):
    table = Table(bench, "A block that is not sampled, and one that is, from "
                  "birth to death")
    if "ours" in loops.missing:
        table.absent("all of it", loops.missing["ours"])
        return
    small = SHAPES["1 to 30 words"][0]
    plain = os.path.join(bench.build, "bench", "memprof_loop_plain")
    values = {"plain": [], OFF: [], "stopped": []}
    for _ in range(bench.rounds):
        for rate, found in values.items():
            found.append(loops.block_ns(
                OFF if rate == "plain" else rate, small,
                program=plain if rate == "plain" else None)[0])
    table.row("malloc and free, no recorder", values["plain"])
    for rate, what in ((OFF, "no profile was ever started"),
                       ("stopped", "after a profile was discarded")):
        table.row(f"... more: {what}",
                  [more - less for more, less in zip(values[rate],
                                                     values["plain"])],
                  "not sampling", MORE_NS)
    for size, depth in BLOCKS:
        more = []
        for _ in range(bench.rounds):
            off = loops.block_ns(OFF, (size, size, 8), depth)[0]
            more.append(loops.block_ns("1.0", (size, size, 8), depth)[0] - off)
        table.row(f"a sampled block of {size:,} bytes, {depth} frames", more,
                  "rate 1.0, more than not sampling", BLOCK_NS)
    kib = {rate: loops.run([loops.ours, rate, KEPT, 64, 64, 8, DEPTH, "keep"])
           for rate in (OFF, "1.0")}
    table.row("memory of a block while it is tracked",
              [(kib["1.0"][0] - kib[OFF][0]) * 1024 / KEPT],
              f"{KEPT:,} at once", unit=" bytes")


def print_all(bench, _workloads):
    loops = Loops(bench)
    for print_table, head in ((print_loops, LOOP_HEAD), (print_blocks, HEAD)):
        try:
            print_table(bench, loops)
        except measure.Failure as failure:
            bench.print_rows([["memprof", f"failed: {failure}"]
                              + [""] * (len(head) - 3) + [tables.NOT_MET]])
