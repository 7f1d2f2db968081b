# SPDX-License-Identifier: Apache-2.0
"""tally attach: what a program does from then on, to the unit, and a program
that is as before once it is over."""

import os
import random
import signal
import subprocess
import time

from harness import scenario, watchdog
from harness.recording import Account
from harness.scenario import Skip, equal

CYCLES = int(os.environ.get("TALLY_ATTACH_CYCLES", "12"))
KILLS = int(os.environ.get("TALLY_ATTACH_KILLS", "25"))


class Program:
    """The victim `steps`, which runs without Tally until it is attached to."""

    def __init__(self, place, *arguments):
        self.place = place
        self.tally = place.recorder.tally
        self.process = subprocess.Popen(
            [place.victim("steps"), *arguments], stdin=subprocess.PIPE,
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


def code_of(pid):
    """Bytes of libc's code in the process, and in its file."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        lines = [line.split(maxsplit=5) for line in file]
    for where, access, offset, _, _, *path in lines:
        if "x" in access and path and "/libc.so" in path[0]:
            start, end = (int(word, 16) for word in where.split("-"))
            with open(f"/proc/{pid}/mem", "rb") as memory:
                memory.seek(start)
                found = memory.read(end - start)
            with open(path[0].strip(), "rb") as file:
                file.seek(int(offset, 16))
                return found, file.read(end - start)
    raise AssertionError("no libc")


def is_clean(pid):
    found, wanted = code_of(pid)
    return found[:len(wanted)] == wanted


def account(place, file):
    return Account([place.recorder.report(file)])


def has(found, function, blocks, live):
    equal(f"blocks of {function}", blocks,
          found.column("sites", function, "blocks_total"))
    equal(f"live blocks of {function}", live,
          found.column("sites", function, "blocks_live"))


def to_the_unit(place):
    with Program(place) as program:
        program.do("aab")
        attaching = program.attach(place.file("a"))
        assert not is_clean(program.pid)
        program.do("atbff")
        program.do("ff")
        program.detach(attaching)
        assert is_clean(program.pid)
        program.do("atb")
        found = account(place, place.file("a"))
        has(found, "first", 100, 0)
        has(found, "short_lived", 100, 0)
        has(found, "second", 50, 50)
        equal("allocations", 250, found.total("allocations"))
        equal("frees of older blocks", 20, found.lost("older_frees"))
        equal("foreign frees", 0, found.lost("foreign_frees"))
        equal("peak", 100 * 1000 + 50 * 24, found.total("peak_bytes"))
        equal("stack", 100, found.stack_blocks(["first", "main"]))
        program.end()


def by_a_signal(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("a")
        attaching.send_signal(signal.SIGINT)
        program.written(attaching)
        assert is_clean(program.pid)
        program.do("a")
        has(account(place, place.file("a")), "first", 100, 100)
        program.end()


def until_it_ends(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("a")
        program.end()
        program.written(attaching)
        has(account(place, place.file("a")), "first", 100, 100)


def each_caller(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"), "--stacks=caller")
        program.do("atf")
        program.detach(attaching)
        has(account(place, place.file("a")), "first", 100, 70)


def as_often_as_wanted(place):
    with Program(place) as program:
        for number in range(CYCLES):
            file = place.file(str(number))
            program.do("a")
            attaching = program.attach(file)
            program.do("abff")
            program.detach(attaching)
            assert is_clean(program.pid)
            found = account(place, file)
            has(found, "first", 100, 40)
            has(found, "second", 50, 50)
            equal("older", 0, found.lost("older_frees"))
        program.end()


def children(place):
    """A child that was forked meanwhile is recorded, and freed of the jumps."""
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("ac")
        with open(f"/proc/{program.pid}/task/{program.pid}/children",
                  encoding="ascii") as file:
            child = file.read().split()[0]
        assert not is_clean(child)
        program.detach(attaching)
        assert is_clean(child)
        has(place.recorder.children("a"), "second", 1, 1)
        os.kill(int(child), signal.SIGKILL)


def killed_at_any_instant(place):
    """The program goes on, and can be attached to again."""
    chance = random.Random(5)
    with Program(place) as program:
        for _ in range(KILLS):
            attaching = subprocess.Popen(
                [program.tally, "attach", "-q", program.pid, "-o",
                 place.file("killed"), "-f"], stderr=subprocess.PIPE)
            time.sleep(chance.random() * 0.15)
            attaching.kill()
            attaching.communicate()
            program.do("abtf")
        attaching = program.attach(place.file("a"))
        program.do("at")
        program.detach(attaching)
        assert is_clean(program.pid)
        found = account(place, place.file("a"))
        has(found, "first", 100, 100)
        has(found, "short_lived", 100, 0)
        program.end()


def twice_at_once(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        outcome = watchdog.run([program.tally, "attach", program.pid, "-o",
                                place.file("b")])
        equal("status", 2, outcome.status)
        assert f"process {attaching.pid}, records it" in \
            outcome.stderr.decode(), outcome.stderr
        program.do("a")
        program.detach(attaching)
        outcome = watchdog.run([program.tally, "detach", program.pid])
        equal("status", 2, outcome.status)
        has(account(place, place.file("a")), "first", 100, 100)


def what_is_off_is_switched_on(place):
    tally = place.recorder.tally
    recording = subprocess.Popen(
        place.recorder.command([place.victim("steps")],
                               ["--sysctl=vm.mem_profiling=0"]),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=watchdog.clean_environment())
    children_file = f"/proc/{recording.pid}/task/{recording.pid}/children"
    os.read(recording.stdout.fileno(), 1)
    with open(children_file, encoding="ascii") as file:
        pid = file.read().split()[0]
    recording.stdin.write(b"a")
    recording.stdin.flush()
    os.read(recording.stdout.fileno(), 1)
    outcome = watchdog.run([tally, "attach", pid])
    equal(outcome.stderr.decode(), 0, outcome.status)
    recording.communicate(b"ae", timeout=30)
    has(place.recorder.first(), "first", 100, 100)


def snapshots(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("a")
        outcome = watchdog.run([program.tally, "snapshot", "-o",
                                place.file("s"), program.pid])
        equal(outcome.stderr.decode(), 0, outcome.status)
        program.do("a")
        program.detach(attaching)
        has(account(place, place.file("s")), "first", 100, 100)
        has(account(place, place.file("a")), "first", 200, 200)


def in_a_filter(place):
    """It makes no call but those that seccomp_calls.h lists, and copes where
    one that it can do without fails."""
    if os.geteuid() != 0:
        raise Skip("only root may read filters; run it as root")
    for name, *options in (("listed",), ("needed",), ("docker",),
                           ("listed", "--events", "-f"),
                           ("listed", "--stacks=sampled", "--interval=1"),
                           ("needed", "--stacks=caller")):
        with Program(place, name) as program:
            for file in ("a", "b"):
                attaching = program.attach(place.file(file), "-f", *options)
                program.do("at")
                outcome = watchdog.run([program.tally, "snapshot", "-f", "-o",
                                        place.file("s"), program.pid])
                equal(outcome.stderr.decode(), 0, outcome.status)
                program.do("cabff")
                program.detach(attaching)
                assert is_clean(program.pid)
            program.do("abt")
            found = account(place, place.file("a"))
            has(found, "first", 200, 140)
            if name == "docker":
                equal("stack", 200, found.stack_blocks(["first", "main"]))
            program.end()


def filters_that_refuse_us(place):
    if os.geteuid() != 0:
        raise Skip("only root may read filters; run it as root")
    for name, why in (("ends", "could end it for memfd_create"),
                      ("fails", "refuses memfd_create"),
                      ("thread", "could end it for memfd_create")):
        with Program(place, name) as program:
            outcome = watchdog.run([program.tally, "attach", program.pid,
                                    "-o", place.file("a")])
            equal("status", 2, outcome.status)
            assert why in outcome.stderr.decode(), outcome.stderr
            program.do("abtf")
            program.end()


STATEMENT = """CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
INSERT INTO t SELECT i, printf('%0300d', i) FROM n;
CREATE INDEX u ON t(b);
SELECT count(*), sum(a) FROM t WHERE b > 'x' OR a % 7 = 3;
"""
COLUMNS = ("blocks_total", "bytes_total")


class Shell:
    """sqlite3 in memory, which reads statements from a pipe."""

    def __init__(self, *before):
        self.process = subprocess.Popen(
            [*before, "/usr/bin/sqlite3", ":memory:"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=watchdog.clean_environment())
        self.ask("SELECT 1;", "1")

    def ask(self, statement, answer):
        self.process.stdin.write(statement.encode() + b"\n")
        self.process.stdin.flush()
        equal("answer", answer, self.process.stdout.readline().decode()[:-1])

    def end(self):
        self.process.communicate(timeout=30)
        equal("status", 0, self.process.returncode)


def by_stack(report):
    """Sums of what was allocated, by stack without what libc begins with."""
    sums = {}
    for row in report["sites"]:
        stack = tuple((frame["function"], frame["module"], frame["file"],
                       frame["line"]) for frame in row["stack"])
        found = sums.setdefault(stack, [0, 0])
        for column, name in enumerate(COLUMNS):
            found[column] += row[name]
    return sums


def a_statement_as_recorded(place):
    """What sqlite3 does for it is the same, stack by stack."""
    tally = place.recorder.tally
    shell = Shell(tally, "record", "-q", "-o", place.file("r"), "--")
    children_file = f"/proc/{shell.process.pid}/task/{shell.process.pid}" \
        "/children"
    with open(children_file, encoding="ascii") as file:
        pid = file.read().split()[0]
    snapshots_of = []
    for name in ("before", "behind"):
        outcome = watchdog.run([tally, "snapshot", "-q", "-o",
                                place.file(name), pid])
        equal(outcome.stderr.decode(), 0, outcome.status)
        snapshots_of.append(by_stack(place.recorder.report(place.file(name))))
        if name == "before":
            shell.ask(STATEMENT, "286|286143")
    shell.end()
    before, behind = snapshots_of
    expected = {stack: [now - then for now, then in
                        zip(sums, before.get(stack, [0, 0]))]
                for stack, sums in behind.items()}
    expected = {stack: sums for stack, sums in expected.items() if any(sums)}

    shell = Shell()
    attaching = subprocess.Popen(
        [tally, "attach", str(shell.process.pid), "-o", place.file("a")],
        stderr=subprocess.PIPE, env=watchdog.clean_environment())
    attaching.stderr.readline()
    shell.ask(STATEMENT, "286|286143")
    outcome = watchdog.run([tally, "detach", str(shell.process.pid)])
    equal(outcome.stderr.decode(), 0, outcome.status)
    attaching.communicate(timeout=60)
    shell.end()
    found = by_stack(place.recorder.report(place.file("a")))
    assert len(expected) > 20, expected
    equal("stacks", expected, found)


scenario.main(to_the_unit, by_a_signal, until_it_ends, each_caller,
              as_often_as_wanted, children, killed_at_any_instant,
              twice_at_once, what_is_off_is_switched_on, snapshots,
              in_a_filter, filters_that_refuse_us,
              a_statement_as_recorded)
