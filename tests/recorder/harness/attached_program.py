# SPDX-License-Identifier: Apache-2.0
"""A victim that is told its steps, and attached to meanwhile."""

import os
import subprocess

from harness import watchdog
from harness.recording import Account
from harness.scenario import equal

COLUMNS = ("blocks_total", "bytes_total")


class Program:
    """A victim that runs without Tally until it is attached to."""

    def __init__(self, place, victim="steps"):
        self.place = place
        self.tally = place.recorder.tally
        self.process = subprocess.Popen(
            [place.victim(victim)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=watchdog.clean_environment(),
            cwd=place.folder)
        self.pid = str(self.process.pid)
        self.expect(".")

    def expect(self, answer):
        found = sorted(os.read(self.process.stdout.fileno(), 1).decode()
                       for _ in answer)
        equal("answer", sorted(answer), found)

    def do(self, steps):
        for step in steps:
            self.process.stdin.write(step.encode())
            self.process.stdin.flush()
            self.expect(".:" if step == "c" else ".")

    def attach(self, file, *options):
        """Returns once the jumps are there."""
        attaching = subprocess.Popen(
            [self.tally, "attach", self.pid, "-o", file, *options],
            stderr=subprocess.PIPE, env=watchdog.clean_environment())
        line = attaching.stderr.readline().decode()
        assert f"attached to {self.pid}" in line, line
        return attaching

    def detach(self, attaching):
        outcome = watchdog.run([self.tally, "detach", self.pid])
        equal(f"detach: {outcome.stderr.decode()}", 0, outcome.status)
        self.written(attaching)

    def written(self, attaching):
        _, err = attaching.communicate(timeout=60)
        equal(f"attach: {err.decode()}", 0, attaching.returncode)

    def end(self):
        self.process.stdin.write(b"e")
        self.process.stdin.flush()
        equal("status", 4, self.process.wait(30))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def account(place, file):
    return Account([place.recorder.report(file)])


def has(found, function, blocks, live):
    equal(f"blocks of {function}", blocks,
          found.column("sites", function, "blocks_total"))
    equal(f"live blocks of {function}", live,
          found.column("sites", function, "blocks_live"))


def by_stack(report, kind="sites"):
    """Sums of what was allocated, by stack without what libc begins with."""
    sums = {}
    for row in report[kind]:
        stack = tuple((frame["function"], frame["module"], frame["file"],
                       frame["line"]) for frame in row["stack"])
        found = sums.setdefault(stack, [0, 0])
        for column, name in enumerate(COLUMNS):
            found[column] += row[name]
    return sums
