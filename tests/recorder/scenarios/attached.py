# SPDX-License-Identifier: Apache-2.0
"""tally attach: exact counts from then on, and an unchanged program after
detaching."""

import os
import random
import signal
import subprocess
import time

from harness import scenario, watchdog
from harness.attached_program import Program, account, attach, by_stack, \
    children_of, detach, has, is_clean, written
from harness.scenario import Skip, equal

CYCLES = int(os.environ.get("TALLY_ATTACH_CYCLES", "12"))
KILLS = int(os.environ.get("TALLY_ATTACH_KILLS", "25"))


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
        written(attaching)
        assert is_clean(program.pid)
        program.do("a")
        has(account(place, place.file("a")), "first", 100, 100)
        program.end()


def until_it_ends(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("a")
        program.end()
        written(attaching)
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


def a_thread_of_before_ends(place):
    """Test that a recording with samples ends where no thread has any."""
    with Program(place, victim="thread_of_before") as program:
        attaching = program.attach(place.file("a"), "--stacks=sampled",
                                   "--interval=1")
        program.do("a")
        program.detach(attaching)
        attaching = program.attach(place.file("b"))
        program.do("j")
        program.detach(attaching)
        program.end()


def descriptors_of(pid):
    folder = f"/proc/{pid}/fd"
    return {name: os.readlink(os.path.join(folder, name))
            for name in os.listdir(folder)}


def no_descriptor_stays(place):
    """Test that no jump stays in the program or a child, however the recording
    ends."""
    with Program(place) as program:
        before = descriptors_of(program.pid)
        attaching = program.attach(place.file("a"))
        assert descriptors_of(program.pid) != before
        program.do("ac")
        child = children_of(program.pid)[0]
        program.detach(attaching)
        for pid in (program.pid, child):
            equal("behind tally detach", before, descriptors_of(pid))
        attaching = program.attach(place.file("b"))
        program.do("a")
        attaching.send_signal(signal.SIGINT)
        written(attaching)
        equal("behind Ctrl-C", before, descriptors_of(program.pid))
        os.kill(int(child), signal.SIGKILL)
        program.end()


def children(place):
    """Test that a child forked meanwhile is recorded, and loses its jumps."""
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("ac")
        child = children_of(program.pid)[0]
        assert not is_clean(child)
        program.detach(attaching)
        assert is_clean(child)
        has(place.recorder.children("a"), "second", 1, 1)
        os.kill(int(child), signal.SIGKILL)


def a_child_of_between(place):
    """Test that a child forked afterwards has no jumps, and can be attached to
    alone."""
    with Program(place) as program:
        program.detach(program.attach(place.file("a")))
        program.do("ac")
        child = children_of(program.pid)[0]
        attaching = program.attach(place.file("b"))
        program.do("ab")
        assert is_clean(child)
        of_child = attach(program.tally, child, place.file("child"))
        os.kill(int(child), signal.SIGUSR1)
        program.expect(":")
        detach(program.tally, child, of_child)
        assert is_clean(child) and not is_clean(program.pid)
        program.do("a")
        program.detach(attaching)
        os.kill(int(child), signal.SIGUSR1)
        program.expect(":")
        found = account(place, place.file("b"))
        has(found, "first", 200, 200)
        has(found, "second", 50, 50)
        has(account(place, place.file("child")), "second", 1, 1)
        equal("children", [], place.recorder.child_files("b"))
        os.kill(int(child), signal.SIGKILL)
        program.end()


# Sizes from 8 bytes to 2 MiB in steps of 8 times; a realloc is one of each.
SIZES = [8 << shift for shift in range(0, 18, 3)]


def each_entry_counts_once(place):
    """Test that none of libc's functions calls the recorder by another one."""
    with Program(place) as program:
        program.do("m")
        attaching = program.attach(place.file("a"))
        program.do("mm")
        program.detach(attaching)
        found = account(place, place.file("a"))
        equal("allocations, frees, bytes",
              (20 * len(SIZES), 20 * len(SIZES), 20 * sum(SIZES)),
              tuple(map(found.total,
                        ("allocations", "frees", "bytes_allocated"))))
        program.end()


def killed_at_any_instant(place):
    """Test that the program goes on, and can be attached to again."""
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


def ends_meanwhile(place):
    """Test that the program ends normally, and tally attach reports its
    end."""
    chance = random.Random(9)
    for _ in range(CYCLES):
        with Program(place) as program:
            attaching = subprocess.Popen(
                [program.tally, "attach", program.pid, "-f", "-o",
                 place.file("a")], stderr=subprocess.PIPE)
            time.sleep(chance.random() * 0.04)
            program.end()
            _, err = attaching.communicate(timeout=30)
            if attaching.returncode != 0:
                equal("status", 2, attaching.returncode)
                assert err.decode() in (
                    f"tally: process {program.pid}: {why}\n" for why in
                    ("the process has ended; name a running one",
                     "no such process; see ps")), err


def twice_at_once(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        outcome = watchdog.run([program.tally, "attach", program.pid, "-o",
                                place.file("b")])
        equal("status", 2, outcome.status)
        assert f"already recorded by tally attach, process {attaching.pid}" in \
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
    os.read(recording.stdout.fileno(), 1)
    pid = children_of(recording.pid)[0]
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


def snapshots_by_signal(place):
    with Program(place) as program:
        attaching = program.attach(place.file("a"), "--snapshot-on=SIGUSR1")
        for number in (1, 2):
            program.do("a")
            attaching.send_signal(signal.SIGUSR1)
            written_now = place.file(f"a.{number}")
            scenario.wait_until(lambda path=written_now: os.path.exists(path),
                                written_now)
        program.do("a")
        program.detach(attaching)
        for name, blocks in (("a.1", 100), ("a.2", 200), ("a", 300)):
            has(account(place, place.file(name)), "first", blocks, blocks)
        program.end()


def of_another_user(place):
    """Test that a user who may not trace the program is refused, and that a
    recorded program is left alone."""
    if os.getuid() != 0:
        raise Skip("only root can be another user; run it as root")
    os.chmod(place.folder, 0o777)
    with Program(place) as program:
        def refused(verb, *options):
            outcome = watchdog.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                 program.tally, verb, *options, program.pid])
            equal("status", 2, outcome.status)
            return outcome.stderr.decode()

        line = f"tally: process {program.pid}: permission denied: the " \
            "process belongs to user 0; use sudo, or be that user\n"
        equal("before", line, refused("attach", "-o", place.file("b")))
        attaching = program.attach(place.file("a"))
        equal("meanwhile", line, refused("attach", "-o", place.file("b")))
        equal("the end", line, refused("detach"))
        program.do("a")
        program.detach(attaching)
        equal("files", ["a"], os.listdir(place.folder))
        has(account(place, place.file("a")), "first", 100, 100)
        program.end()


STATEMENT = """CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
INSERT INTO t SELECT i, printf('%0300d', i) FROM n;
CREATE INDEX u ON t(b);
SELECT count(*), sum(a) FROM t WHERE b > 'x' OR a % 7 = 3;
"""


class Shell:
    """sqlite3 with a database in memory; it reads statements from a pipe."""

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


def a_statement_as_recorded(place):
    """Test that sqlite3 allocates the same for it, stack by stack."""
    tally = place.recorder.tally
    shell = Shell(tally, "record", "-q", "-o", place.file("r"), "--")
    pid = children_of(shell.process.pid)[0]
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
    attaching = attach(tally, shell.process.pid, place.file("a"))
    shell.ask(STATEMENT, "286|286143")
    detach(tally, shell.process.pid, attaching)
    shell.end()
    found = by_stack(place.recorder.report(place.file("a")))
    assert len(expected) > 20, expected
    equal("stacks", expected, found)


scenario.main(to_the_unit, by_a_signal, until_it_ends, each_caller,
              as_often_as_wanted, a_thread_of_before_ends,
              no_descriptor_stays, children,
              a_child_of_between, each_entry_counts_once,
              killed_at_any_instant, ends_meanwhile,
              twice_at_once, what_is_off_is_switched_on, snapshots,
              snapshots_by_signal, of_another_user, a_statement_as_recorded)
