# SPDX-License-Identifier: Apache-2.0
"""A flood of processes of one user that look recorded: the work for one user
is bounded, which is reported, and programs of others are found.

As root the flood runs as another user.
"""

import os
import re
import signal
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal
from harness.served import Served
from harness.steps import Steps

FILES, PROCESSES = 1500, 600
OTHER = 65534 if os.geteuid() == 0 else os.geteuid()
SAID = f"user {OTHER} has too many recorded programs to look through"


class Flood:
    def __init__(self, place, kind):
        user = [str(OTHER)] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [place.victim("floods"), str(FILES), str(PROCESSES), kind, *user],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        equal("flood", b"all are there\n", self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate(timeout=60)
        equal("end of the flood", 0, self.process.returncode)


def is_found(what, pid, text):
    """Test that only programs of the flood's user may be missing."""
    assert OTHER == os.geteuid() or pid in text, f"{what}: {text[:400]}"


def say_once(place):
    """Test that a running push reports it once."""
    with subprocess.Popen(
            [place.recorder.tally, "push", "--every=1s", "steps",
             "--to=http://127.0.0.1:9/ingest"],
            stderr=subprocess.PIPE, text=True) as push:
        while SAID not in push.stderr.readline():
            assert push.poll() is None, push.returncode
        push.send_signal(signal.SIGTERM)
        said = push.communicate(timeout=60)[1]
    assert SAID not in said, said


def flood(place, kind):
    with Steps(place) as steps, Flood(place, kind), Served(place) as served:
        steps.do("a")
        page = served.get("/").decode()
        assert SAID.replace("user", "User").replace("recorded ", "") in page, \
            page[-200:]
        assert page.count("<tr>") <= 512 + 100, page.count("<tr>")
        is_found("list", f">{steps.pid}<", page)
        figures = served.get("/metrics").decode()
        left_out = re.search(r"(?m)^tally_programs_left_out (\d+)$", figures)
        assert int(left_out[1]) >= 1, figures[:800]
        is_found("metrics", f'pid="{steps.pid}"', figures)
        for command in (["top", "-n1"], ["completion", "--words", "report",
                                         ""]):
            outcome = watchdog.run([place.recorder.tally, *command])
            assert SAID in outcome.stderr.decode(), outcome.stderr
        is_found("completion", f"{steps.pid}\t", outcome.stdout.decode())
        say_once(place)


def ledgers_that_are_mapped(place):
    flood(place, "mapped")


def ledgers_that_nobody_has(place):
    flood(place, "unmapped")


scenario.main(ledgers_that_are_mapped, ledgers_that_nobody_has)
