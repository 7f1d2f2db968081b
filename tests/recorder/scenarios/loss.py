# SPDX-License-Identifier: Apache-2.0
"""tally record is killed: its keeper has the ledgers, until the last process
exits.

TALLY_TEST_SCALE=10 kills it at a hundred instants.
"""

import mmap
import os
import random
import re
import signal
import struct
import subprocess
import time

from harness import scenario, watchdog
from harness.scenario import equal, wait_until
from harness.steps import Steps, is_gone, wait_for_end

INSTANTS = 10 * int(os.environ.get("TALLY_TEST_SCALE", "1"))
# Root finds a session by the mappings of a process; others need the keeper.
AS_OTHERS = [] if os.getuid() != 0 else [
    "/usr/bin/setpriv", "--bounding-set=-sys_admin,-checkpoint_restore"]


def keeper_of(pid):
    """Return the process that the program asks for the session."""
    with open(f"/proc/{pid}/environ", "rb") as file:
        return int(re.search(rb"TALLY_SESSION=/proc/(\d+)/", file.read())[1])


def name_of(pid):
    return scenario.read_file(f"/proc/{pid}/comm").strip()


def snapshot_of(place, pid, path):
    outcome = watchdog.run([*AS_OTHERS, place.recorder.tally, "snapshot", "-o",
                            path, str(pid)])
    equal(f"status, {outcome.stderr.decode()}", 0, outcome.status)
    return place.recorder.report(path)


def at_any_instant(place):
    chance = random.Random(7)
    for number in range(INSTANTS):
        path = place.file(f"counts{number}")
        with open(path, "w+b") as file:
            file.truncate(4096)
            counts = mmap.mmap(file.fileno(), 4096)
        tally = subprocess.Popen(
            [*AS_OTHERS, place.recorder.tally, "record", "-o",
             place.file(f"no{number}"), "--",
             place.victim("counts_until_killed"), path],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda at=counts: at[8:16] != bytes(8), "its first block")
        with open(f"/proc/{tally.pid}/task/{tally.pid}/children",
                  encoding="ascii") as children:
            pid = int(children.read())
        keeper = keeper_of(pid)
        time.sleep(chance.random() * 0.05)
        tally.kill()
        tally.wait()
        least = struct.unpack("<Q", counts[8:16])[0]
        report = snapshot_of(place, pid, place.file(f"s{number}"))
        most = struct.unpack("<Q", counts[0:8])[0]
        found = sum(row["blocks_total"] for row in report["sites"]
                    if row["stack"][0]["function"] == "in_loop")
        assert 0 < least <= found <= most, (least, found, most)
        wait_until(lambda at=keeper: name_of(at) == "tally-keeper", "its name")
        os.kill(pid, signal.SIGKILL)
        wait_for_end(keeper)


def into_a_folder(place):
    folder = place.file("kept")
    os.mkdir(folder)
    with Steps(place, "--keep=kept") as steps:
        steps.do("a")
        keeper = keeper_of(steps.pid)
        wait_until(lambda: name_of(keeper) == "tally-keeper", "the keeper")
        equal("what it holds", 3, len(os.listdir(f"/proc/{keeper}/fd")))
        steps.tally.kill()
        steps.do("acf")  # a child, too
        equal("not yet", [], os.listdir(folder))
        steps.do("e")
        file = os.path.join(folder, f"steps.{steps.pid}.tally")
        wait_for_end(keeper)
        report = place.recorder.report(file)
        equal("ended", False, report["process"]["running"])
        equal("live", 170, steps.rows(file)["first"]["blocks_live"])
        equal("a child", 1, len(os.listdir(file + ".d")))
        equal("its block", 1, steps.rows("--all",
                                         file)["second"]["blocks_live"])


def with_its_group(place):
    """Test that a signal for the whole group does not reach the keeper."""
    folder = place.file("kept")
    os.mkdir(folder)
    with Steps(place, "--keep=" + folder) as steps:
        steps.do("a")
        keeper = keeper_of(steps.pid)
        os.killpg(steps.tally.pid, signal.SIGKILL)
        wait_for_end(keeper)
        name, = os.listdir(folder)
        equal("live", 100, steps.rows(os.path.join(folder, name))["first"]
              ["blocks_live"])


def not_needed(place):
    folder = place.file("kept")
    os.mkdir(folder)
    with Steps(place, "--keep=" + folder) as steps:
        steps.do("a")
        keeper = keeper_of(steps.pid)
        steps.do("e")
        equal("status", 4, steps.tally.wait(timeout=30))
        equal("it has ended first", True, is_gone(keeper))
        equal("kept", [], os.listdir(folder))
        equal("live", 100, steps.rows(steps.file)["first"]["blocks_live"])


def no_such_folder(place):
    for folder in ("none", "", "/dev/null"):
        outcome = place.recorder.run(["/bin/true"], ["--keep=" + folder])
        equal("status", 2, outcome.status)
        assert b"name a folder" in outcome.stderr, outcome.stderr


scenario.main(at_any_instant, into_a_folder, with_its_group, not_needed,
              no_such_folder)
