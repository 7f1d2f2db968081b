# SPDX-License-Identifier: Apache-2.0
"""What it costs to be told of each allocation, beside others that are.

mem_trace.c measures one malloc and its free, so an event is half of what they
take more than without.
"""

import os
import shutil
import statistics

import measure
import peers
import tables

COUNT_NS = 20.0
TEXT_RATIO = 1.3
OFF_RATIO = 1.01

HEAD = ["what", "median", "range", "beside it", "bound", "verdict"]


def values_of(bench, arguments, environment, prefix=()):
    """{name: value} of one run."""
    program = os.path.join(bench.build, "bench", "mem_trace")
    _, printed = measure.run([*prefix, program, *arguments], environment, None,
                             bench.folder)
    found = [line.split() for line in printed.splitlines()]
    return {line[0]: float(line[1]) for line in found
            if len(line) == 2 and line[1].replace(".", "").isdigit()}


def runs(bench, has_lttng):
    """(name, arguments, environment, prefix) of each thing to be run."""
    recorder = {"LD_PRELOAD": os.path.join(bench.build, "lib",
                                           "libtally-record.so")}
    file = os.path.join(bench.folder, "lines")
    yield "plain", ["pair"], {}, ()
    yield "never", ["pair"], recorder, ()
    yield "count", ["count"], recorder, ()
    yield "after", ["after"], recorder, ()
    yield "text_null", ["text", "/dev/null"], recorder, ()
    yield "lines_null", ["lines", "/dev/null"], recorder, ()
    yield "lines_file", ["lines", file], recorder, ()
    yield "lock", ["lock"], {}, ()
    debug, wrapper = peers.library("libc_malloc_debug.so.0"), \
        peers.library("liblttng-ust-libc-wrapper.so")
    if debug:
        yield "mtrace", ["mtrace"], {"LD_PRELOAD": debug,
                                     "MALLOC_TRACE": file}, ()
    if wrapper and has_lttng:
        yield "lttng", ["pair"], {
            "LD_PRELOAD": wrapper,
            "LTTNG_HOME": os.path.join(bench.folder, "lttng")}, ()
    if shutil.which("heaptrack"):
        yield "heaptrack", ["pair"], {}, ("heaptrack", "--raw", "-o",
                                          os.path.join(bench.folder, "raw"))


def figures(bench):
    """{name: [value of each round]}"""
    values = {}
    with peers.Session(bench.folder) as session:
        for _ in range(bench.rounds):
            for name, arguments, environment, prefix in runs(bench,
                                                             session.is_open):
                for key, value in values_of(bench, arguments, environment,
                                            prefix).items():
                    if name.startswith("lines"):
                        key = f"{key}_{name}"
                    else:
                        key = name
                    values.setdefault(key, []).append(value)
    return values


def off_ratios(bench, workload):
    """User time with the recorder and no callback, of that without."""
    recorder = os.path.join(bench.build, "lib", "libtally-record.so")
    seconds = {"": [], recorder: []}
    for number in range(bench.rounds):
        for preload in (("", recorder) if number % 2 else (recorder, "")):
            environment = {**workload.environment}
            if preload:
                environment["LD_PRELOAD"] = preload
            seconds[preload].append(measure.user_seconds(
                workload.command, environment, workload.stdin,
                bench.folder)[0])
    return [one / statistics.median(seconds[""])
            for one in seconds[recorder]]


def print_all(bench, workloads):
    values = figures(bench)
    tables.print_title("Told of each allocation", HEAD)
    plain = statistics.median(values["plain"])

    def row(what, found, beside="", limit=None, unit=" ns"):
        middle = statistics.median(found)
        said = tables.verdict(middle, min(found), limit)
        digits = 3 if unit == "" else 1
        tables.print_row([
            what, f"{middle:.{digits}f}{unit}",
            f"{min(found):.{digits}f} - {max(found):.{digits}f}", beside,
            f"{limit:.{digits}f}{unit}" if limit else "", said])
        if said:
            bench.verdicts.append((f"mem_trace, {what}", said))

    def more(name):
        return [(value - plain) / 2 for value in values[name]]

    row("lock and unlock, uncontended", values["lock"])
    row("malloc and free, no observer", values["plain"])
    row("... the recorder preloaded, no callback", values["never"])
    row("... after a callback was taken away", values["after"])
    row("an event, to a callback that counts", more("count"),
        "with the lock", COUNT_NS)
    row("an event, as text to /dev/null", more("text_null"))
    for where in ("null", "file"):
        bare = statistics.median(values[f"bare_write_lines_{where}"])
        name = "/dev/null" if where == "null" else "a file"
        row(f"the default callback, to {name}",
            [value / bare for value in values[f"callback_lines_{where}"]],
            f"the bare write: {bare:.0f} ns", TEXT_RATIO, "")
    for name, what in (("mtrace", "glibc's mtrace"),
                       ("lttng", "LTTng's libc wrapper"),
                       ("heaptrack", "heaptrack --raw")):
        if name in values:
            row(f"an event, {what}", more(name))
        else:
            tables.print_row([f"an event, {what}", "not there", "", "", "", ""])
    for name in ("sqlite", "perl"):
        if name in workloads:
            row(f"{name}, no callback, of untraced",
                off_ratios(bench, workloads[name]), "user time", OFF_RATIO, "")
