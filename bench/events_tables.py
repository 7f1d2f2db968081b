# SPDX-License-Identifier: Apache-2.0
"""What `tally record --trace` and `--events` cost for each call.

The cost is what a traced run takes more than a recorded one: by the clock,
which includes waiting for tally record where there is no processor for it; in
the program; and in tally record.
"""

import os
import re
import resource
import shutil
import statistics
import subprocess

import measure
import tables
import workload_list as wl

MILLIONS = 20
NS = {"--trace": 80.0, "--events": 25.0}
BYTES = {"--trace": None, "--events": 12.0}
PROGRAMS = ("sqlite", "perl", "xmllint", "python")

HEAD = ["what", "median", "range", "beside it", "bound", "verdict"]


def record(bench, options, command, stdin=None, environment=None):
    """What it prints on both streams, and processor seconds of all of it."""
    for name in ("run.tally", "trace"):
        path = os.path.join(bench.folder, name)
        shutil.rmtree(path + ".d", ignore_errors=True)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [os.path.join(bench.build, "bin", "tally"), "record", "-o",
         bench.ledger, *options, "--", *command], cwd=bench.folder,
        stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        errors="replace", env={**os.environ, **(environment or {})},
        check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise measure.Failure(done.stderr.strip())
    return (done.stdout, done.stderr,
            after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime)


def trace_option(bench, form):
    return f"{form}={os.path.join(bench.folder, 'trace')}"


def trace_bytes(bench):
    path = os.path.join(bench.folder, "trace")
    if os.path.isdir(path):
        path = os.path.join(path, "stream")
    return os.path.getsize(path)


def count_events(said):
    found = re.search(r"tally: ([\d,]+) events in ", said)
    return int(found.group(1).replace(",", "")) if found else 0


def loop_runs(bench):
    """{form: [(elapsed ns, program's ns, all ns) of each round]} per call."""
    command = [os.path.join(bench.build, "bench", "events"), str(MILLIONS)]
    runs = {form: [] for form in ("", *NS)}
    for _ in range(bench.rounds):
        for form, found in runs.items():
            options = ["--stacks=caller",
                       *([trace_option(bench, form)] if form else ["-q"])]
            printed, _, seconds = record(bench, options, command)
            elapsed, own = (float(word) for word in printed.split())
            found.append((elapsed, own, seconds * 1e3 / MILLIONS))
    return runs


def more(runs, form, field):
    """What each traced run takes more than the recorded one of its round."""
    return [traced[field] - plain[field]
            for traced, plain in zip(runs[form], runs[""])]


def print_all(bench, _workloads):
    tables.print_title(
        "Traces of every call: nanoseconds more than recorded by caller, "
        f"{MILLIONS} million calls in a loop, and bytes", HEAD)

    def row(what, values, beside, limit, unit):
        middle = statistics.median(values)
        said = tables.verdict(middle, min(values), limit) if limit else ""
        tables.print_row([
            what, f"{middle:.1f} {unit}",
            f"{min(values):.1f} - {max(values):.1f}", beside,
            f"{limit:.0f} {unit}" if limit else "", said])
        if said:
            bench.verdicts.append((f"events, {what}", said))

    runs = loop_runs(bench)
    recorded = statistics.median(run[0] for run in runs[""])
    for form, limit in NS.items():
        own = statistics.median(more(runs, form, 1))
        everything = statistics.median(more(runs, form, 2))
        row(f"{form}, by the clock", more(runs, form, 0),
            f"recorded: {recorded:.1f} ns", None, "ns")
        row(f"{form}, in the program", more(runs, form, 1),
            f"in tally record: {everything - own:.1f} ns", limit, "ns")
    workloads = bench.table(1)
    for name in PROGRAMS:
        workload = workloads.get(name)
        if workload is None:
            continue
        for form, limit in BYTES.items():
            _, said, _ = record(bench, [trace_option(bench, form)],
                                workload.command, workload.stdin,
                                workload.environment)
            events = count_events(said)
            if events:
                row(f"{form}, {name}", [trace_bytes(bench) / events],
                    f"{events / 1e6:.1f} million calls", limit, "bytes")
