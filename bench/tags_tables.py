# SPDX-License-Identifier: Apache-2.0
"""What tags cost a program that is compiled with tally/malloc.h.

The kernel's own evaluation as a loop: allocate and free 8 to 240 bytes, one
thread. Its figures stand beside ours: S. Baghdasaryan, "Memory allocation
profiling", v6, 2024-03-21 (kmalloc, 2.5 million times each of 8 to 240 bytes),
and for pages after compression "page allocation tag compression", v3,
2024-10-14.
"""

import os
import statistics

import measure
import tables

SETTING = "sysctl.vm.mem_profiling="
PLAIN, NEVER, OFF, ON, COMPRESSED = ("plain", "never", "off", "on",
                                     "on, compressed")
MODES = {NEVER: "never", OFF: "0", ON: "1", COMPRESSED: "1,compressed"}
KINDS = ("shared", "static")
KERNEL = {OFF: "+0.43 %", ON: "+6.40 to +9.48 %; pages +40.02 %",
          COMPRESSED: "pages +5.5 %"}
SAME_BOUND = 1.02  # never and off
PAIR_BOUND_NS = {ON: 3.0, COMPRESSED: 2.5}
CALL_BOUND = 3  # instructions more for a call, never and off
TEXT_BOUND_MS = 2.0
SCALING_BOUND = 1.1

ITERATIONS = 400_000
COUNTED = (25_000, 50_000)  # iterations; the difference is counted
SIZES = 30  # of the loop
THREADS = (1, 2, 4)
TAGS, BLOCKS = 4_000, 1_000_000
TAG_SIZE = 40  # struct alloc_tag, there in every mode

PAIR_HEAD = ["library", "mode", "pair: median, fastest", "more: median",
             "fastest - fastest", "ratio", "the kernel's", "bound", "verdict"]
COUNT_HEAD = ["library", "mode", "instructions a pair", "more a call", "bound",
              "verdict"]
SCALING_HEAD = ["loop", "plain", "on", "on / plain", "against one",
                "bound", "verdict"]
SCALE_HEAD = ["what", "mode", "figure", "bound", "verdict"]


class Programs:
    """The loops of one build, run in one folder."""

    def __init__(self, bench):
        self.build, self.folder = bench.build, bench.folder

    def run(self, how, program, arguments, mode, prefix=()):
        environment = {"LD_LIBRARY_PATH": os.path.join(self.build, "lib")}
        if mode != PLAIN:
            environment["TALLY_SYSCTL"] = SETTING + MODES[mode]
        return how([*prefix, os.path.join(self.build, "bench", program),
                    *map(str, arguments)], environment, None, self.folder)

    def rounds(self, count, runs):
        """{key: [result of each round]} of {key: function}, order rotating."""
        keys, results = list(runs), {key: [] for key in runs}
        for number in range(count):
            shift = number % len(keys)
            for key in keys[shift:] + keys[:shift]:
                results[key].append(runs[key]())
        return results


def tagged(name, kind, mode):
    return name if mode == PLAIN else f"{name}_tagged_{kind}"


def pair_rows(kind, ns):
    """`ns` is {mode: [(median, fastest) of each round]}"""
    medians = {mode: [pair[0] for pair in ns[mode]] for mode in ns}
    fastest = {mode: min(pair[1] for pair in ns[mode]) for mode in ns}
    plain = statistics.median(medians[PLAIN])
    for mode, values in medians.items():
        more = statistics.median(
            value - less for value, less in zip(values, medians[PLAIN]))
        best = fastest[mode] - fastest[PLAIN]
        if mode in PAIR_BOUND_NS:
            bound = f"+{PAIR_BOUND_NS[mode]} ns"
            said = tables.verdict(more, best, PAIR_BOUND_NS[mode])
        else:
            bound = "" if mode == PLAIN else f"{SAME_BOUND:.2f}"
            said = "" if mode == PLAIN else tables.verdict(
                (plain + more) / plain, fastest[mode] / fastest[PLAIN],
                SAME_BOUND)
        yield [kind, mode, f"{statistics.median(values):.2f}, "
               f"{fastest[mode]:.2f} ns", f"{more:+.2f} ns", f"{best:+.2f} ns",
               f"{(plain + more) / plain:.3f}", KERNEL.get(mode, ""), bound,
               said]


def print_pairs(bench, programs):
    tables.print_title(f"tally/malloc.h: a malloc and its free, {bench.rounds} "
                       "rounds", PAIR_HEAD)
    for kind in KINDS:
        ns = programs.rounds(bench.rounds, {
            mode: lambda mode=mode: [float(word) for word in programs.run(
                measure.user_seconds, tagged("micro", kind, mode),
                (ITERATIONS, 8), mode)[1].split()]
            for mode in (PLAIN, *MODES)})
        bench.print_rows(pair_rows(kind, ns))


def print_counts(bench, programs):
    tables.print_title("tally/malloc.h: instructions by callgrind", COUNT_HEAD)
    for kind in KINDS:
        each = {}
        for mode in (PLAIN, *MODES):
            few, many = (programs.run(
                measure.callgrind_instructions, tagged("micro", kind, mode),
                (iterations, 8), mode, measure.CALLGRIND)
                for iterations in COUNTED)
            each[mode] = (many - few) / ((COUNTED[1] - COUNTED[0]) * SIZES)
        for mode, count in each.items():
            more = (count - each[PLAIN]) / 2
            is_bound = mode in (NEVER, OFF)
            bench.print_rows([[
                kind, mode, f"{count:.1f}", f"{more:+.2f}",
                f"+{CALL_BOUND}" if is_bound else "",
                tables.verdict(round(more, 2), more, CALL_BOUND)
                if is_bound else ""]])


def print_scaling(bench, programs):
    tables.print_title("tally/malloc.h: a malloc and its free in several "
                       f"threads, {os.cpu_count()} CPUs, median of "
                       f"{bench.rounds} rounds", SCALING_HEAD)
    first = None
    for threads in THREADS:
        ns = programs.rounds(bench.rounds, {
            mode: lambda mode=mode, threads=threads: float(programs.run(
                measure.user_seconds, tagged("micro", "shared", mode),
                (ITERATIONS, 8, threads), mode)[1].split()[0])
            for mode in (PLAIN, ON)})
        plain, on = (statistics.median(ns[mode]) for mode in (PLAIN, ON))
        first = first or on / plain
        scale = on / plain / first
        bench.print_rows([[
            f"{threads} thread{'s' if threads > 1 else ''}",
            f"{plain:.2f} ns", f"{on:.2f} ns",
            f"{on / plain:.3f}", f"{scale:.3f}",
            f"{SCALING_BOUND:.2f}" if threads > 1 else "",
            tables.verdict(scale, scale, SCALING_BOUND)
            if threads > 1 else ""]])


def print_scale(bench, programs):
    """Of many tags and of many blocks."""
    tables.print_title(f"{TAGS:,} tags, and {BLOCKS:,} blocks of 64 bytes",
                       SCALE_HEAD)

    def look(what, count, mode):
        kib, ms = programs.run(measure.user_seconds,
                               "tags_at_scale_tagged_shared", (what, count),
                               mode)[1].split()
        return int(kib), float(ms)

    def bytes_each(what, count, mode):
        """What `count` of them take; every tag has an account from the
        start."""
        before = 0 if what == "tags" else (look(what, 0, mode)[0]
                                           - look(what, 0, NEVER)[0])
        after = look(what, count, mode)[0] - look(what, count, NEVER)[0]
        return (after - before) * 1024 / count

    for mode in (OFF, ON):
        ms = min(look("tags", TAGS, mode)[1] for _ in range(bench.rounds))
        bench.print_rows([["allocinfo_write", mode, f"{ms:.2f} ms",
                           f"{TEXT_BOUND_MS:.0f} ms",
                           tables.verdict(ms, ms, TEXT_BOUND_MS)]])
    bench.print_rows([["a tag", "any", f"{TAG_SIZE} bytes, and its function's "
                       "name", "", ""]])
    for mode in (ON, COMPRESSED):
        bench.print_rows([
            ["... while accounts are kept, all that is taken", mode,
             f"{bytes_each('tags', TAGS, mode):.0f} bytes", "", ""],
            ["a block, more", mode,
             f"{bytes_each('blocks', BLOCKS, mode):.1f} bytes", "", ""]])


def print_all(bench, _):
    programs = Programs(bench)
    for table in (print_pairs, print_counts, print_scaling, print_scale):
        table(bench, programs)
    print(f"\nCommand lines, with LD_LIBRARY_PATH=lib and TALLY_SYSCTL="
          f"{SETTING}... of the mode:\n\n"
          f"    micro_tagged_shared {ITERATIONS} 8; plain: micro\n"
          f"    micro_tagged_shared {ITERATIONS} 8 THREADS; "
          "plain: micro\n"
          f"    tags_at_scale_tagged_shared tags {TAGS}; blocks {BLOCKS}")
