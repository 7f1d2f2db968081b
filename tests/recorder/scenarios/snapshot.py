# SPDX-License-Identifier: Apache-2.0
"""tally snapshot: the ledger at an instant, and processes that have none."""

import json
import os
import signal
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal
from harness.steps import Steps, wait_for_end


def an_instant(place):
    with Steps(place) as steps:
        steps.do("aab")
        said = steps.run("snapshot", steps.pid, "-o", "one").stderr.decode()
        equal("what to do next", "tally: next: tally report one\n", said)
        steps.do("af")
        # By tally record's PID; named after the program.
        said = steps.run("snapshot", str(steps.tally.pid)).stderr.decode()
        name = f"steps.{steps.pid}.tally.1"
        equal("its name", f"tally: next: tally report {name}\n", said)
        equal("quiet", b"", steps.run("snapshot", "-q", steps.pid).stderr)
        one, two = steps.rows("one"), steps.rows(name)
        same = steps.rows(f"steps.{steps.pid}.tally.2")
        for rows, live, total in ((one, 200, 200), (two, 270, 300),
                                  (same, 270, 300)):
            equal("live", live, rows["first"]["blocks_live"])
            equal("bytes", live * 1000, rows["first"]["bytes_live"])
            equal("total", total, rows["first"]["blocks_total"])
            equal("others", 50, rows["second"]["blocks_live"])
        grown = json.loads(steps.run("diff", "--json", "one", name).stdout)
        equal("growth", [70000], [row["bytes_growth"] for row in grown["rows"]
                                  if row["function"] == "first"])
        piped = steps.run("snapshot", "-o", "-", steps.pid).stdout
        equal("piped", True, b"270,000" in steps.run(
            "report", "--full", "-", stdin=piped).stdout)
        steps.refused("snapshot", "-o", "one", steps.pid, why="exists already")
        small = subprocess.run(
            ["sh", "-c", "ulimit -f 1; exec \"$@\"", "-",
             place.recorder.tally, "snapshot", "-f", "-o", "one", steps.pid],
            cwd=place.folder, stderr=subprocess.PIPE, check=False)
        equal("too large", 2, small.returncode)
        equal("the old one stays", 200,
              steps.rows("one")["first"]["blocks_live"])
        steps.run("snapshot", "-f", "-o", "one", steps.pid)
        equal("forced", 270, steps.rows("one")["first"]["blocks_live"])
        steps.refused("snapshot", "-o", "/dev/full", steps.pid, why="No space")
        equal("a device", b"",
              steps.run("snapshot", "-f", "-o", "/dev/null", steps.pid).stderr)
        equal("files", 3, len([name for name in os.listdir(place.folder)
                               if not name.endswith("steps.tally")]))
        steps.do("e")
        equal("status", 4, steps.tally.wait(timeout=30))
        equal("in the end", 270, steps.rows(steps.file)["first"]["blocks_live"])


def its_child(place):
    with Steps(place) as steps:
        steps.do("bc")
        with open(f"/proc/{steps.pid}/task/{steps.pid}/children",
                  encoding="ascii") as file:
            child = file.read().strip()
        steps.run("snapshot", "-o", "parent", steps.pid)
        steps.run("snapshot", "-o", "child", child)
        equal("one's", 50, steps.rows("parent")["second"]["blocks_live"])
        equal("the other's", 51, steps.rows("child")["second"]["blocks_live"])


def a_stopped_one(place):
    with Steps(place) as steps:
        steps.do("a")
        os.kill(int(steps.pid), signal.SIGSTOP)
        steps.run("snapshot", "-o", "stopped", steps.pid)
        equal("live", 100, steps.rows("stopped")["first"]["blocks_live"])


def one_that_has_ended(place):
    with Steps(place) as steps:
        # Then its status is not read.
        os.kill(steps.tally.pid, signal.SIGSTOP)
        steps.do("e")
        wait_for_end(steps.pid)
        steps.refused("snapshot", "-o", "x", steps.pid, why="no such process")
        equal("a file", False, os.path.exists(place.file("x")))


def another_program(place):
    with Steps(place) as steps:
        steps.do("ax")
        scenario.wait_until(
            lambda: scenario.read_file(f"/proc/{steps.pid}/comm") == "sleep\n",
            "its exec")
        steps.refused("snapshot", "-o", "x", steps.pid, why="by exec")
        equal("a file", False, os.path.exists(place.file("x")))


def a_damaged_one(place):
    with Steps(place) as steps:
        steps.do("a")
        folder = f"/proc/{steps.tally.pid}/fd/"
        session = [name for name in os.listdir(folder)
                   if "memfd:tally" in os.readlink(folder + name)][0]
        with open(folder + session, "r+b", buffering=0) as file:
            file.seek((1 << 32) + 32)  # shard_count of the first ledger
            file.write(bytes(4))
        steps.refused("snapshot", "-o", "x", steps.pid, why="damaged")
        equal("a file", False, os.path.exists(place.file("x")))


def of_another_user(place):
    if os.getuid() != 0:
        raise scenario.Skip("nobody else can be asked; run it as root")
    with Steps(place) as steps:
        other = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"]
        outcome = watchdog.run([*other, place.recorder.tally, "snapshot", "-o",
                                f"/tmp/tally-{os.getpid()}", steps.pid])
        equal("status", 2, outcome.status)
        assert b"ask as its user or as root" in outcome.stderr, outcome.stderr


def no_room(place):
    """Test a file size limit and a full disk: one line, and no part of a
    file."""
    with Steps(place) as steps:
        steps.do("a")
        steps.refused("snapshot", "-o", "big", steps.pid, why="too large",
                      limits={"fsize": 8192})
        steps.refused("snapshot", "-o", "no/x", steps.pid, why="No such file")
        steps.refused("snapshot", "-o", "", steps.pid, why="nothing is written")
        equal("left", [], [name for name in os.listdir(place.folder)
                           if name != "steps.tally"])
        small = place.file("small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs",
                           small], stderr=subprocess.PIPE,
                          check=False).returncode != 0:
            raise scenario.Skip("no tmpfs can be mounted; run it as root")
        try:
            steps.refused("snapshot", "-o", "small/x", steps.pid, why="space")
            equal("left", [], os.listdir(small))
        finally:
            subprocess.run(["umount", small], check=True)


scenario.main(an_instant, its_child, a_stopped_one, one_that_has_ended,
              another_program, a_damaged_one, of_another_user, no_room)
