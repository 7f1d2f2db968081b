# SPDX-License-Identifier: Apache-2.0
"""Accidents of tally record and its file while the program runs.

It is killed, its memory is attacked, its file name is taken: the program runs
to its end, with the same output and status.
"""

import json
import os
import re
import signal
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal


class Running:
    """works_on, recorded, at the point where it waits for a line."""

    def __init__(self, place):
        self.status_file = place.file("status")
        script = f'"$1"; echo $? >{self.status_file}'
        self.tally = subprocess.Popen(
            place.recorder.command(
                ["/bin/sh", "-c", script, "sh", place.victim("works_on")]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=watchdog.clean_environment(),
            start_new_session=True)
        equal("first words", b"begun\n", self.tally.stdout.readline())

    def finish(self):
        """Let it go on; return its output and its status."""
        self.tally.stdin.write(b"\n")
        self.tally.stdin.close()
        rest = self.tally.stdout.read()
        scenario.wait_until(lambda: os.path.exists(self.status_file) and
                            scenario.read_file(self.status_file) != "",
                            "the program's end")
        self.tally.wait(timeout=30)
        equal("the rest of its output", b"done\n", rest)
        equal("its status", "4\n", scenario.read_file(self.status_file))

    def close(self):
        if self.tally.poll() is None:
            os.killpg(self.tally.pid, signal.SIGKILL)
            self.tally.wait()
        self.tally.stdout.close()
        self.tally.stderr.close()


def keeper_of(pid):
    """Return the process that keeps the session, named by tally record's
    children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        child = file.read().split()[0]
    environment = scenario.read_file(f"/proc/{child}/environ")
    return re.search(r"TALLY_SESSION=/proc/(\d+)/", environment).group(1)


def reported(place, keeper):
    """Report the recording, by its keeper's PID."""
    outcome = watchdog.run([place.recorder.tally, "report", "--json", keeper])
    equal("status of report", 0, outcome.status)
    report = json.loads(outcome.stdout)
    programs = [report["process"]["program"]]
    programs += [image["program"] for image in report["images"]]
    equal("programs", ["dash", "works_on"],
          sorted(os.path.basename(program) for program in programs))


def tally_killed(place):
    running = Running(place)
    try:
        keeper = keeper_of(running.tally.pid)
        reported(place, keeper)
        os.kill(running.tally.pid, signal.SIGKILL)
        running.tally.wait(timeout=30)
        reported(place, keeper)
        running.finish()
    finally:
        running.close()


def session_truncated(place):
    running = Running(place)
    refused = 0
    try:
        folder = f"/proc/{running.tally.pid}/fd"
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if "memfd:" not in os.readlink(path):
                continue
            try:
                os.truncate(path, 0)
            except OSError:
                refused += 1
        running.finish()
    finally:
        running.close()
    assert refused >= 1, "the session could be truncated"
    account = place.recorder.children()
    equal("blocks", 20001, account.column("sites", "after", "blocks_total"))


def file_name_taken(place):
    """Test that the ledger gets another name if FILE appears meanwhile."""
    running = Running(place)
    try:
        scenario.write_file(place.recorder.ledger(), "mine\n")
        running.finish()
    finally:
        running.close()
    equal("the other's file", "mine\n",
          scenario.read_file(place.recorder.ledger()))
    account = place.recorder.children("ledger.1")
    equal("blocks", 20001, account.column("sites", "after", "blocks_total"))


def file_there_before(place):
    """Test that an existing FILE is refused before the program runs."""
    scenario.write_file(place.recorder.ledger(), "mine\n")
    outcome = place.recorder.run([place.victim("says_hello")])
    equal("status", 2, outcome.status)
    equal("output", b"", outcome.stdout)
    equal("the other's file", "mine\n",
          scenario.read_file(place.recorder.ledger()))


def truncated_file(place):
    """Test that a truncated ledger is refused in one line, at any length.

    An empty file is a trace without a call.
    """
    place.recorder.run([place.victim("says_hello")])
    path = place.recorder.ledger()
    with open(path, "rb") as file:
        whole = file.read()
    for size in (1, 100, 4095, 4096, 65535, len(whole) // 2):
        with open(path, "wb") as file:
            file.write(whole[:size])
        outcome = watchdog.run([place.recorder.tally, "report", path])
        equal(f"status at {size} bytes", 2, outcome.status)
        equal(f"lines at {size} bytes", 1,
              len(outcome.stderr.decode().splitlines()))


scenario.main(tally_killed, session_truncated, file_name_taken,
              file_there_before, truncated_file)
