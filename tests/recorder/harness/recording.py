# SPDX-License-Identifier: Apache-2.0
"""Record a command and read its accounts back through `tally report`."""

import concurrent.futures
import os

from harness import stack_tables, watchdog
from harness.plain_root import plain_root


def plain_name(function):
    """A C++ function without its namespaces and parameters."""
    name = (function or "").replace("(anonymous namespace)", "")
    return name.split("(")[0].split("::")[-1]


def is_start(frame):
    """A frame of what calls main() or a thread's function."""
    return frame["function"] == "_start" or \
        os.path.basename(frame["module"] or "").startswith(("libc.", "ld-"))


def is_stack(frames, functions):
    """Whether these functions, and none of others, led to a call."""
    return len(frames) >= len(functions) and \
        all(wanted in ("-", plain_name(frame["function"]))
            for frame, wanted in zip(frames, functions)) and \
        all(map(is_start, frames[len(functions):]))


class Account:
    """One ledger, or several summed, as `tally report --json` tells them."""

    def __init__(self, reports):
        self.reports = reports

    def total(self, name):
        return sum(report["totals"][name] for report in self.reports)

    def lost(self, name):
        return sum(report["lost"][name] for report in self.reports)

    def lost_names(self):
        return {name for report in self.reports for name in report["lost"]}

    def rows(self, kind, function):
        """The rows of "sites" or "maps" whose innermost function is this."""
        return [row for report in self.reports for row in report[kind]
                if row["stack"] and
                plain_name(row["stack"][0]["function"]) == function]

    def stack_blocks(self, functions):
        """How many blocks were ever allocated by exactly this stack."""
        return sum(row["blocks_total"] for report in self.reports
                   for row in report["sites"]
                   if is_stack(row["stack"], functions))

    def map_stack(self, functions, column):
        return sum(row[column] for report in self.reports
                   for row in report["maps"]
                   if is_stack(row["stack"], functions))

    def column(self, kind, function, column):
        rows = self.rows(kind, function)
        if column == "rows":
            return len(rows)
        return sum(row[column] for row in rows)

    def negative_rows(self):
        return [row for report in self.reports
                for kind in ("sites", "maps") for row in report[kind]
                if row["blocks_live"] < 0 or row["bytes_live"] < 0]

    def notices(self):
        """Name of each notice, and how often it was given."""
        times = {}
        for report in self.reports:
            for notice in report["notices"]:
                times[notice["code"]] = times.get(notice["code"], 0) + \
                    notice["times"]
        return times


def this_image(path):
    """What names the image of that file alone."""
    if not os.path.isdir(path + ".d"):
        return []
    with open(path, "rb") as file:
        return [f"--process={int.from_bytes(file.read(60)[56:], 'little')}-0"]


class Recorder:
    """The `tally` of one build tree, writing into one folder."""

    def __init__(self, build, folder):
        self.tally = os.path.join(build, "bin", "tally")
        self.folder = folder
        self.sysroot = "--sysroot=" + plain_root(build)

    def ledger(self, name="ledger"):
        return os.path.join(self.folder, name)

    def command(self, program, options=(), name="ledger"):
        return [self.tally, "record", "--quiet", *options, "-o",
                self.ledger(name), "--", *program]

    def run(self, program, options=(), name="ledger", **settings):
        return watchdog.run(self.command(program, options, name), **settings)

    def report(self, path):
        """The JSON of one ledger, not of another image of its recording that
        held more; whatever goes wrong is an assertion."""
        outcome = watchdog.run([self.tally, "report", "--json", self.sysroot,
                                *this_image(path), path], timeout=60)
        assert outcome.status == 0, \
            f"tally report {path}: status {outcome.status}, " \
            f"{outcome.stderr.decode()}"
        return stack_tables.loads(outcome.stdout)

    def first(self, name="ledger"):
        return Account([self.report(self.ledger(name))])

    def child_files(self, name="ledger"):
        folder = self.ledger(name) + ".d"
        if not os.path.isdir(folder):
            return []
        return sorted(os.path.join(folder, file)
                      for file in os.listdir(folder))

    def children(self, name="ledger"):
        """Hundreds of children are nearly all the time that a test takes."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return Account(list(pool.map(self.report, self.child_files(name))))


def differences(plain, recorded):
    """What the program showed differently because it was recorded."""
    found = []
    if plain.hung:
        found.append("the plain run hung")
    if recorded.hung:
        found.append("the recorded run hung")
    for name in ("status", "stdout", "stderr"):
        left, right = getattr(plain, name), getattr(recorded, name)
        if left != right:
            found.append(f"{name}: plain {left!r}, recorded {right!r}")
    return found
