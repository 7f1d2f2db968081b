# SPDX-License-Identifier: Apache-2.0
"""tally snapshot at any instant of programs that fork, exit and exec, and of a
torn ledger: a valid file, or one line and no file.

TALLY_TEST_SCALE=10 takes ten times as many.
"""

import os
import random
import signal
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal
from harness.steps import Steps

TIMES = 40 * int(os.environ.get("TALLY_TEST_SCALE", "1"))
FORKS = "while :; do (:); /bin/true; done"
BECOMES_ITSELF = 'exec sh -c "$0" "$0"'
SESSION_LEDGER = 1 << 32  # offset of the first ledger


def below(pid):
    """Return all processes started by `pid`, and these."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return []
    return children + [each for child in children for each in below(child)]


def name_of(pid):
    try:
        return scenario.read_file(f"/proc/{pid}/comm").strip()
    except OSError:
        return None


def take(place, pid, options, reasons):
    """Take a snapshot; return False if it was refused for one of the
    reasons."""
    file = place.file("taken")
    command = [place.recorder.tally, "snapshot", "-q", *options, "-o", file,
               str(pid)]
    outcome = watchdog.run(command)
    left = [name for name in os.listdir(place.folder) if "part" in name]
    equal("parts left", [], left)
    if outcome.status == 0:
        equal("standard error", b"", outcome.stderr)
        report = place.recorder.report(file)
        os.remove(file)
        assert report["process"]["running"], report["process"]
        return True
    line = outcome.stderr.decode()
    equal("status and lines", (2, 1), (outcome.status, line.count("\n")))
    assert any(reason in line for reason in reasons), line
    equal("a file", False, os.path.exists(file))
    return False


def options_of(number):
    return ["--resident"] if number % 2 else []


def of_moving_ones(place, script, reasons):
    """Return the number of snapshots taken of those tried."""
    chance = random.Random(5)
    tally = subprocess.Popen(
        place.recorder.command(["/bin/sh", "-c", script, script],
                               options=["--wait=first"]),
        env=watchdog.clean_environment())
    try:
        # The first child of tally record, its keeper, is soon not its child.
        scenario.wait_until(lambda: "sh" in map(name_of, below(tally.pid)),
                            "the program")
        return sum(take(place, chance.choice(below(tally.pid)),
                        options_of(number), reasons)
                   for number in range(TIMES))
    finally:
        for pid in below(tally.pid)[:1]:
            os.kill(int(pid), signal.SIGKILL)
        tally.wait(timeout=30)


REASONS = ["no such process", "No such process", "has ended", "by exec",
           "not recorded", "no residency: its memory cannot be read",
           "cannot be read"]


def while_they_fork_and_end(place):
    taken = of_moving_ones(place, FORKS, REASONS)
    assert 0 < taken, taken


def while_it_becomes_others(place):
    of_moving_ones(place, BECOMES_ITSELF, REASONS)


def torn(place):
    chance = random.Random(3)
    with Steps(place) as steps:
        steps.do("aabf")
        folder = f"/proc/{steps.tally.pid}/fd/"
        session, = [name for name in os.listdir(folder)
                    if "memfd:tally " in os.readlink(folder + name)]
        # Its own files are not read meanwhile.
        os.kill(steps.tally.pid, signal.SIGSTOP)
        os.kill(int(steps.pid), signal.SIGSTOP)
        with open(folder + session, "r+b", buffering=0) as file:
            for number in range(TIMES):
                end = chance.choice([256, 4096, 65536, 1 << 20])
                at = SESSION_LEDGER + chance.randrange(0, end, 4)
                file.seek(at)
                sound = file.read(8)
                file.seek(at)
                file.write(chance.choice([bytes(8), b"\xff" * 8,
                                          chance.randbytes(8)]))
                take(place, steps.pid, options_of(number),
                     ["damaged", "not recorded itself", "no residency"])
                file.seek(at)
                file.write(sound)
        equal("sound again", True, take(place, steps.pid, [], []))


scenario.main(while_they_fork_and_end, while_it_becomes_others, torn)
