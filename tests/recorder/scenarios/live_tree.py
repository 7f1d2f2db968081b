# SPDX-License-Identifier: Apache-2.0
"""A tree of running processes: --all sums them, and counts a shared mapping
once."""

import json
import os
import re
import signal
import subprocess

from harness import stack_tables, watchdog
from harness.scenario import equal, main

SHARED, PRIVATE = 1 << 20, 1 << 16
BLOCKS = {5000, 10000, 20000, 30000, 70000}
# Root finds a session by the mappings of a process; other users do not.
AS_OTHERS = [] if os.getuid() != 0 else [
    "/usr/bin/setpriv", "--bounding-set=-sys_admin,-checkpoint_restore"]


class Tree:
    def __init__(self, place):
        self.place = place
        self.file = place.file("tree")
        self.tally = subprocess.Popen(
            [*AS_OTHERS, place.recorder.tally, "record", "-q", "-o",
             self.file, "--",
             place.victim("live_tree")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=watchdog.clean_environment(),
            start_new_session=True)
        self.pid = self.tally.stdout.readline().decode().strip()

    def finish(self):
        self.tally.communicate(b"\n", timeout=60)
        equal("status", 0, self.tally.returncode)

    def close(self):
        if self.tally.poll() is None:
            os.killpg(self.tally.pid, signal.SIGKILL)
            self.tally.wait()


def run(place, *arguments):
    outcome = watchdog.run([*AS_OTHERS, place.recorder.tally, *arguments],
                           timeout=60)
    equal(f"status of {arguments[0]}", 0, outcome.status)
    return outcome.stdout.decode()


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = file.read().split()
    equal("children", 3, len(children))
    return children


def rows(place, source):
    """Return bytes of the blocks, and of the mappings."""
    report = stack_tables.loads(run(place, "report", "--json", "--all", source))
    held = [row["bytes_live"] - row["bytes_inherited"]
            for row in report["sites"]
            if row["stack"][0]["function"] == "hold"]
    return sum(held), sum(row["bytes_live"] for row in report["maps"])


def of_all(place, tree):
    """Test by tally record's PID: the process with most live bytes, and all
    others."""
    number = str(tree.tally.pid)
    screen = run(place, "report", "--full", number)
    listed = re.findall(r"peak, .* running +(\d+) ", screen)
    equal("listed", len(children_of(tree.pid)) + 2, len(listed))
    most = re.search(r"(?m)^> .* running +(\d+) ", screen).group(1)
    report = stack_tables.loads(run(place, "report", "--json", number))
    equal("most", int(most), report["process"]["pid"])
    equal("others", set(listed) - {most},
          {image["file"] for image in report["images"]})
    program = report["process"]["program"].rpartition("/")[2]
    report = stack_tables.loads(
        run(place, "report", "--json", f"--process={program}", number))
    equal("by its program", int(most), report["process"]["pid"])
    head = run(place, "top", "-n1", number).partition("\n")[0]
    assert head.startswith(f"pid {most}, running, largest of its "), head
    head = run(place, "top", "-n1", tree.pid).partition("\n")[0]
    assert head.startswith(f"pid {tree.pid}, running: "), head
    screen = run(place, "report", tree.pid)
    assert re.search(rf"(?m)^> .* {tree.pid} ", screen), screen


def a_live_tree_is_summed(place):
    tree = Tree(place)
    try:
        blocks, maps = rows(place, tree.pid)
        # The grandchild inherits the first child's block.
        equal("blocks", sum(BLOCKS), blocks)
        equal("maps", SHARED + 5 * PRIVATE, maps)
        alone = run(place, "report", "--top=0", tree.pid)
        assert "10,000" not in alone, alone
        for child in children_of(tree.pid):
            report = stack_tables.loads(run(place, "report", "--json", child))
            equal("process", int(child), report["process"]["pid"])
        of_all(place, tree)
        top = run(place, "top", "--all", "-n1", tree.pid)
        assert "hold" in top, top
        folded = run(place, "export", "--to=folded", "--all", tree.pid)
        assert "main;hold 145000" in folded, folded
        grown = json.loads(run(place, "diff", "--json", "--all", tree.pid,
                               tree.pid))
        assert grown["before"]["bytes"] >= sum(BLOCKS), grown["before"]
        tree.finish()
    finally:
        tree.close()
    equal("afterwards", (sum(BLOCKS), SHARED + 5 * PRIVATE),
          rows(place, tree.file))
    equal("in a picture", folded,
          run(place, "export", "--to=folded", "--all", tree.file))
    less = json.loads(run(place, "diff", "--json", tree.file, tree.file))
    more = json.loads(run(place, "diff", "--json", "--all", tree.file,
                          tree.file))
    assert more["after"]["bytes"] > less["after"]["bytes"] + 130000, more


main(a_live_tree_is_summed)
