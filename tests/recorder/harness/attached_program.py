# SPDX-License-Identifier: Apache-2.0
"""Programs that run unrecorded until they are attached to."""

import os
import subprocess

from harness import watchdog
from harness.recording import Account
from harness.scenario import equal

COLUMNS = ("blocks_total", "bytes_total")


def attach(tally, pid, file, *options):
    """Attach to the program; return once the jumps are there."""
    attaching = subprocess.Popen(
        [tally, "attach", str(pid), "-o", file, *options],
        stderr=subprocess.PIPE, env=watchdog.clean_environment())
    line = attaching.stderr.readline().decode()
    assert f"attached to {pid}" in line, line
    return attaching


def written(attaching):
    _, err = attaching.communicate(timeout=60)
    equal(f"attach: {err.decode()}", 0, attaching.returncode)


def detach(tally, pid, attaching):
    outcome = watchdog.run([tally, "detach", str(pid)])
    equal(f"detach: {outcome.stderr.decode()}", 0, outcome.status)
    written(attaching)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read().split()


class Program:
    """A victim that obeys letters."""

    def __init__(self, place, *arguments, victim="steps", inside=()):
        self.place = place
        self.tally = place.recorder.tally
        program = f"/{victim}" if inside else place.victim(victim)
        self.process = subprocess.Popen(
            [*inside, program, *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=watchdog.clean_environment(),
            cwd=place.folder)
        self.pid = str(self.process.pid)
        self.expect(".")
        if inside:
            self.pid = children_of(self.pid)[0]

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
        return attach(self.tally, self.pid, file, *options)

    def detach(self, attaching):
        detach(self.tally, self.pid, attaching)

    def end(self):
        self.process.stdin.write(b"e")
        self.process.stdin.flush()
        equal("status", 4, self.process.wait(30))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def code_of(pid):
    """Return bytes of libc's code in the process, the file, and their offset
    in it."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        lines = [line.split(maxsplit=5) for line in file]
    for where, access, offset, _, _, *path in lines:
        if "x" in access and path and "/libc.so" in path[0]:
            start, end = (int(word, 16) for word in where.split("-"))
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(start)
                return memory.read(end - start), path[0].strip(), \
                    int(offset, 16)
    raise AssertionError("no libc")


def is_clean(pid):
    found, path, offset = code_of(pid)
    with open(path, "rb") as file:
        file.seek(offset)
        wanted = file.read(len(found))
    return found[:len(wanted)] == wanted


def account(place, file):
    return Account([place.recorder.report(file)])


def has(found, function, blocks, live):
    equal(f"blocks of {function}", blocks,
          found.column("sites", function, "blocks_total"))
    equal(f"live blocks of {function}", live,
          found.column("sites", function, "blocks_live"))


def by_stack(report, kind="sites"):
    """Return sums of allocations by stack, without libc's outermost frames."""
    sums = {}
    for row in report[kind]:
        stack = tuple((frame["function"], frame["module"], frame["file"],
                       frame["line"]) for frame in row["stack"])
        found = sums.setdefault(stack, [0, 0])
        for column, name in enumerate(COLUMNS):
            found[column] += row[name]
    return sums
