# SPDX-License-Identifier: Apache-2.0
"""What it costs to be within limits: limits.c, one row for each of its
words."""

import os
import statistics
import tempfile

import measure
import tables

HEAD = ["malloc and free", "median", "range", "more than without"]

ROWS = [("never", "pair", "the recorder preloaded, no scope yet"),
        ("exact", "exact", "in a scope of bytes"),
        ("nested", "nested", "... in ten"),
        ("ended", "ended", "... when it has ended"),
        ("polled", "polled", "in a scope of a token, polled"),
        ("token", "token", "... with LIMIT_ENOMEM"),
        ("sampled", "sampled", "in a sampled scope, 1e-4"),
        ("global", "global", "while the process has a limit"),
        ("scopes", "scopes", "to begin a scope and end it, instead")]

RECORDED = [("recorded", "pair", "under tally record, no scope yet"),
            ("within", "exact", "... in a scope of bytes")]


def nanoseconds(bench, what, environment, *before):
    program = os.path.join(bench.build, "bench", "limits")
    _, printed = measure.run([*before, program, what], environment, None,
                             bench.folder)
    return float(printed.split()[1])


def recorded(bench, what):
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        return nanoseconds(bench, what, {},
                           os.path.join(bench.build, "bin", "tally"), "record",
                           "-q", "-o", os.path.join(folder, "ledger"), "--")


def print_all(bench, workloads):
    recorder = {"LD_PRELOAD": os.path.join(bench.build, "lib",
                                           "libtally-record.so")}
    values = {}
    for _ in range(bench.rounds):
        values.setdefault("plain", []).append(nanoseconds(bench, "pair", {}))
        for name, what, _ in ROWS:
            values.setdefault(name, []).append(
                nanoseconds(bench, what, recorder))
        for name, what, _ in RECORDED:
            values.setdefault(name, []).append(recorded(bench, what))
    plain = statistics.median(values["plain"])
    tables.print_title("Within limits", HEAD)
    for name, what in [("plain", "without the recorder"),
                       *((name, text) for name, _, text in ROWS + RECORDED)]:
        found = values[name]
        middle = statistics.median(found)
        beyond = "" if name in ("plain", "scopes") else f"{middle - plain:+.1f}"
        tables.print_row([what, f"{middle:.1f} ns",
                          f"{min(found):.1f} - {max(found):.1f}", beyond])
