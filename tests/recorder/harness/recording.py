# SPDX-License-Identifier: Apache-2.0
"""Record a command and read its figures back through `tally report`."""

import concurrent.futures
import os

from harness import stack_tables, watchdog
from harness.plain_root import plain_root


def plain_name(function):
    """Return a C++ function without its namespaces and parameters."""
    name = (function or "").replace("(anonymous namespace)", "")
    return name.split("(")[0].split("::")[-1]


def is_start(frame):
    """Return True for a frame that calls main() or a thread's function."""
    return frame["function"] == "_start" or \
        os.path.basename(frame["module"] or "").startswith(("libc.", "ld-"))


def is_stack(frames, functions):
    """Return True if exactly these functions led to a call."""
    return len(frames) >= len(functions) and \
        all(wanted in ("-", plain_name(frame["function"]))
            for frame, wanted in zip(frames, functions)) and \
        all(map(is_start, frames[len(functions):]))


class Account:
    """One ledger, or the sum of several, as `tally report --json` prints
    them."""

    def __init__(self, reports):
        self.reports = reports

    def total(self, name):
        return sum(report["totals"][name] for report in self.reports)

    def lost(self, name):
        return sum(report["lost"][name] for report in self.reports)

    def lost_names(self):
        return {name for report in self.reports for name in report["lost"]}

    def rows(self, kind, function):
        """Return the rows of "sites" or "maps" with this innermost
        function."""
        return [row for report in self.reports for row in report[kind]
                if row["stack"] and
                plain_name(row["stack"][0]["function"]) == function]

    def stack_blocks(self, functions):
        """Return the number of blocks ever allocated by exactly this stack."""
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
        """Return the number of times that each notice was given, by name."""
        times = {}
        for report in self.reports:
            for notice in report["notices"]:
                times[notice["code"]] = times.get(notice["code"], 0) + \
                    notice["times"]
        return times


def this_image(path):
    """Return the arguments that select the image of that file alone."""
    if not os.path.isdir(path + ".d"):
        return []
    with open(path, "rb") as file:
        return [f"--process={int.from_bytes(file.read(60)[56:], 'little')}-0"]


class Recorder:
    """The `tally` of one build tree, which writes into one folder."""

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
        """Return the JSON of one ledger, not of a larger image of its
        recording; any failure is an assertion."""
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
        """Return the sum of all children's ledgers. They are read in parallel:
        hundreds take most of a test's time."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return Account(list(pool.map(self.report, self.child_files(name))))


def differences(plain, recorded):
    """Return how a recorded run of the program differed from a plain one."""
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
