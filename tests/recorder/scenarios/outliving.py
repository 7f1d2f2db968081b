# SPDX-License-Identifier: Apache-2.0
"""Processes that outlive the program are recorded until they exit, or until
the wait is interrupted. tally record returns the program's status, and leaves
them alone."""

import os
import pty
import signal
import subprocess
import time

from harness import scenario, watchdog
from harness.recording import Account
from harness.scenario import equal

STATUS = 6


class Running:
    """The daemon, recorded, at the point where it waits for a byte."""

    def __init__(self, place, *options, stderr=subprocess.PIPE, quiet=False):
        self.place = place
        self.said = place.file("said")
        self.fifo = place.file("fifo")
        os.mkfifo(self.fifo)
        self.tally = subprocess.Popen(
            [place.recorder.tally, "record", *options,
             *(["-q"] if quiet else []), "-o", place.recorder.ledger(), "--",
             place.victim("daemon"), self.said, self.fifo],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
            env=watchdog.clean_environment(), start_new_session=True)

    def wait_for_daemon(self):
        scenario.wait_until(lambda: os.path.exists(self.said), "the daemon")

    def let_go(self):
        """Return True when a reader waits there."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                fd = os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.01)
                continue
            os.write(fd, b"!")
            os.close(fd)
            return True
        return False

    def finish(self):
        status = self.tally.wait(timeout=60)
        equal("status", STATUS, status)
        return self.tally.stderr.read().decode()


def reports(place):
    return [place.recorder.report(file)
            for file in place.recorder.child_files()]


def blocks(found, function):
    return Account(found).column("sites", function, "blocks_total")


def to_the_end(place):
    running = Running(place)
    running.wait_for_daemon()
    # Neither Tally nor the test keeps the program's output open.
    equal("output", b"", running.tally.stdout.read())
    time.sleep(1.5)
    assert running.tally.poll() is None, "it did not wait"
    assert running.let_go(), "the daemon is gone"
    words = running.finish()
    found = reports(place)
    equal("before, after and in the successor", (1, 100, 1),
          tuple(blocks(found, name) for name in
                ("before", "after", "successor")))
    equal("running", [False], sorted({report["process"]["running"]
                                      for report in found}))
    assert "tally: 1 process of the program runs on and is recorded; " \
        f"Ctrl-C or kill {running.tally.pid} ends that" in words, words
    assert "still running" not in words, words


def ended_wait(place, running, end):
    """Test that the daemon is recorded so far, is named, and goes on."""
    running.wait_for_daemon()
    end()
    words = running.finish()
    assert running.let_go(), "the daemon was ended, too"
    found = [report for report in reports(place)
             if report["process"]["running"]]
    equal("images that run on", 1, len(found))
    equal("before and after", (1, 0),
          (blocks(found, "before"), blocks(found, "after")))
    whole = place.recorder.report(place.recorder.ledger())
    equal("the list of images", [True],
          [image["running"] for image in whole["images"]
           if image["running"]])
    text = watchdog.run([place.recorder.tally, "report", "--full",
                         place.recorder.ledger()]).stdout.decode()
    equal("lines of the report that say so", 2,
          text.count("still running"))  # of the process, and of its leaks
    return words


def by_signal(place, number):
    running = Running(place)

    def end():
        time.sleep(1.2)
        running.tally.send_signal(signal.SIGWINCH)  # says nothing of an end
        time.sleep(0.2)
        assert running.tally.poll() is None, "any signal ends it"
        running.tally.send_signal(number)
        running.tally.send_signal(number)

    words = ended_wait(place, running, end)
    assert "1 of them still running" in words, words


def interrupted(place):
    by_signal(place, signal.SIGINT)


def terminated(place):
    by_signal(place, signal.SIGTERM)


def for_seconds(place):
    running = Running(place, "--wait=2", quiet=True)
    equal("words", "", ended_wait(place, running, lambda: None))


def first_alone(place):
    running = Running(place, "--wait=first")
    begun = time.monotonic()
    words = running.finish()
    assert "runs on" not in words, words
    running.wait_for_daemon()
    assert running.let_go(), "the daemon was ended, too"
    assert begun > 0


def at_a_terminal(place):
    """Test ^C where the daemon has a session of its own, and ^C once more."""
    said, fifo = place.file("said"), place.file("fifo")
    os.mkfifo(fifo)
    pid, master = pty.fork()
    if pid == 0:
        os.execve(place.recorder.tally,
                  ["tally", "record", "-o", place.recorder.ledger(), "--",
                   place.victim("daemon"), said, fifo],
                  watchdog.clean_environment())
    out = b""
    while b"runs on" not in out:
        out += os.read(master, 4096)
    os.write(master, b"\x03\x03")
    equal("status", STATUS, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os.close(master)
    scenario.wait_until(lambda: os.path.exists(said), "the daemon")
    os.close(os.open(fifo, os.O_WRONLY))
    equal("ledgers of what runs on", 1, sum(
        report["process"]["running"] for report in reports(place)))


def not_forever_for_others(place):
    """Test that a child that cannot be recorded is not waited for."""
    begun = place.recorder.run(
        ["/bin/sh", "-c", "env -i sleep 100 > /dev/null 2>&1 & echo $!"])
    equal("status", 0, begun.status)
    os.kill(int(begun.stdout), signal.SIGKILL)


scenario.main(to_the_end, interrupted, terminated, for_seconds, first_alone,
              at_a_terminal, not_forever_for_others)
