# SPDX-License-Identifier: Apache-2.0
"""Instructions that a malloc and its free take more than without the recorder.

pairs.c makes them; callgrind counts, without rseq, so that the same build gives
the same numbers on each machine.
"""

import functools
import os
import tempfile

import measure
import tables

FEW, MANY = 50000, 100000
HEAD = ["state", "how it is run", "plain", "more", "bound", "verdict"]
ALL, CALLER, SAMPLED = "--stacks=all", "--stacks=caller", "--stacks=sampled"
SYSCTL = "--sysctl=sysctl.vm.mem_profiling="
TRACE = "--trace={folder}/trace"

# state, word of pairs.c, options of tally record (None: preloaded alone),
# bound: what it took before the recorder had modes, or less
ROWS = [
    ("recorded, whole stacks", "plain", (ALL,), 195),
    ("recorded, by caller", "plain", (CALLER,), 111),
    ("compressed", "plain", (SYSCTL + "1,compressed",), 353),
    ("sampled", "plain", (SAMPLED,), 18),
    ("off, recorded blocks live", "held", (CALLER,), 38),
    ("off, none is live any more", "freed", (CALLER,), 24),
    ("off from the start", "plain", (CALLER, SYSCTL + "0"), 24),
    ("never", "plain", (SYSCTL + "never",), 15),
    ("preloaded alone", "plain", None, 15),
    ("new and delete, whole stacks", "new", (ALL,), 201),
    ("new and delete, by caller", "new", (CALLER,), 116),
    ("new and delete, sampled", "new", (SAMPLED,), 40),
    ("new and delete, never", "new", (SYSCTL + "never",), 23),
    ("realloc alone, whole stacks", "realloc", (ALL,), 408),
    ("realloc alone, by caller", "realloc", (CALLER,), 249),
    ("events, by caller", "plain", (CALLER, TRACE), 484),
    ("observed by mem_trace, not recorded", "count", None, 603),
    ("observed by mem_trace, by caller", "count", (CALLER,), 541),
    ("in a scope, not recorded", "exact", None, 53),
    ("in a scope, by caller", "exact", (CALLER,), 340),
    ("in a scope, whole stacks", "exact", (ALL,), 578),
    ("in ten scopes, not recorded", "nested", None, 53),
    ("after a scope, not recorded", "ended", None, 53),
    ("in a sampled scope, not recorded", "sampled", None, 53),
    ("in a scope of a token, polled, not recorded", "polled", None, 53),
    ("in a scope of a token, not recorded", "token", None, 60),
    ("begin and end of a scope, not recorded", "scopes", None, 400),
    ("in a scope each, not recorded", "scoped", None, 700),
    ("limited as a whole, not recorded", "global", None, 222),
    ("limited as a whole, by caller", "global", (CALLER,), 415),
    ("memprof, not recorded", "memprof", None, 33),
    ("memprof, by caller", "memprof", (CALLER,), 343),
]


def command_of(bench, folder, count, word, options):
    """(command, environment)"""
    tally = os.path.join(bench.build, "bin", "tally")
    program = [*measure.CALLGRIND, os.path.join(bench.build, "bench", "pairs"),
               word, str(count)]
    switch = {"PAIRS_COMMAND": f"{tally} ctl $PPID vm.mem_profiling=0"}
    if options is None:
        library = os.path.join(bench.build, "lib", "libtally-record.so")
        return program, {"LD_PRELOAD": library}
    chosen = [option.format(folder=folder) for option in options]
    return [tally, "record", "--quiet", "-o", f"{folder}/ledger", *chosen,
            "--", *program], switch


def pair(bench, command_for):
    counts = []
    for count in (FEW, MANY):
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
            command, environment = command_for(folder, count)
            counts.append(measure.callgrind_instructions(
                command, environment, None, folder))
    return (counts[1] - counts[0]) / (MANY - FEW)


def plain(bench, word):
    if word not in ("plain", "new", "realloc"):
        word = "plain"
    program = os.path.join(bench.build, "bench", "pairs")
    return pair(bench, lambda _, count: (
        [*measure.CALLGRIND, program, word, str(count)], {}))


def print_all(bench, workloads):
    tables.print_title("Instructions of a malloc and its free, no rseq", HEAD)
    without = {word: plain(bench, word) for word in ("plain", "new", "realloc")}
    without["scopes"] = 0
    for state, word, options, bound in ROWS:
        base = without.get(word, without["plain"])
        how = "preloaded" if options is None else " ".join(options)
        try:
            more = pair(bench, functools.partial(
                command_of, bench, word=word, options=options)) - base
            cells = [f"{more:.1f}", "" if bound is None else str(bound),
                     tables.verdict(more, more, bound)]
        except measure.Failure as failure:
            cells = [f"failed: {failure}", "", tables.NOT_MET]
        bench.print_rows([[state, f"`{how}`", f"{base:.1f}", *cells]])
