# SPDX-License-Identifier: Apache-2.0
"""Processes without a ledger at the end of the recording, because they have
not allocated yet: the closing lines count each, and every report says that it
ran on."""

import json
import os
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal

STATUS = 6
RUNS = 50


def let_go(fifo):
    """Return the process that waits at the FIFO, or is about to."""
    def is_open():
        try:
            os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    scenario.wait_until(is_open, "what should wait")


def record(place, how, *options, wait="first", name="ledger", follow="all"):
    """Return the messages of tally record."""
    fifo = place.file(f"fifo.{name}")
    os.mkfifo(fifo)
    tally = subprocess.Popen(
        [place.recorder.tally, "record", f"--wait={wait}",
         f"--follow={follow}", *options, "-o", place.recorder.ledger(name),
         "--", place.victim("late_daemon"), how, fifo],
        stderr=subprocess.PIPE, env=watchdog.clean_environment())
    equal("status", STATUS, tally.wait(timeout=60))
    if how not in ("ended", "killed", "no_room"):
        let_go(fifo)
    return tally.stderr.read().decode()


def left(place, expected, how, **more):
    words = record(place, how, **more)
    name = more.get("name", "ledger")
    first = place.recorder.first(name)
    equal("left running and unrecorded images", (expected, 0),
          (first.lost("left_running"), first.lost("unrecorded_images")))
    return words


def double_fork(place):
    for number in range(RUNS):
        name = f"run{number}"
        words = record(place, "twice", name=name,
                       wait="first" if number % 2 else "0")
        said = [line for line in words.splitlines() if "left running" in line]
        equal("closing lines that say so", 1, len(said))
        assert said[0].startswith("tally: 1 process"), said[0]


def kept(place):
    """Test that the keeper goes on for it too, and records its later
    allocations."""
    folder = place.file("kept")
    os.mkdir(folder)
    record(place, "twice", f"--keep={folder}")

    def is_keeper(pid):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                return f"--keep={folder}" in file.read()
        except OSError:
            return False  # the process has exited

    def written():
        return [os.path.join(path, name)
                for path, _, names in os.walk(folder) for name in names
                if path.endswith(".tally.d")]

    scenario.wait_until(written, "the ledger of what ran on")
    scenario.wait_until(lambda: not any(
        is_keeper(pid) for pid in os.listdir("/proc") if pid.isdigit()),
        "the end of its keeper")
    shown = watchdog.run([place.recorder.tally, "report", "--json",
                          written()[0]])
    equal("what it allocated", 10,
          json.loads(shown.stdout)["totals"]["bytes_allocated"])


def at_the_end_of_a_wait(place):
    words = left(place, 1, "once", wait="2")
    assert "1 process of the program runs on" in words, words


def several(place):
    left(place, 3, "crowd")


def every_report_says_so(place):
    """Test the images' own, and that of all, which counts each once."""
    record(place, "crowd")
    ledger = place.recorder.ledger()
    images = place.recorder.child_files()
    equal("images", 1, len(images))
    for arguments in [[ledger], images, ["--all", ledger]]:
        shown = watchdog.run([place.recorder.tally, "report", "--full",
                              *arguments])
        assert "3 processes left running" in shown.stdout.decode(), shown.stdout
        shown = watchdog.run([place.recorder.tally, "report", "--json",
                              *arguments])
        lost = json.loads(shown.stdout)["lost"]
        equal(f"{arguments}", 3, lost["left_running"])


def images(place):
    """Test an image, which has its ledger from its start: it runs on, and
    reports so itself."""
    for how in ("exec", "vfork"):
        words = left(place, 0, how, name=how)
        equal("images that run on", [True],
              [report["process"]["running"]
               for report in place.recorder.children(how).reports])
        assert "1 of them still running" in words, words


def shares_memory(place):
    """Test that a child of vfork is recorded with its parent."""
    left(place, 0, "held")
    equal("images that run on", [True],
          [report["process"]["running"]
           for report in place.recorder.children().reports])


def nothing_is_lost(place):
    """Test children that ended before they allocated, in every way."""
    for how in ("ended", "killed"):
        for wait in ("first", "all"):
            name = f"{how}.{wait}"
            words = left(place, 0, how, wait=wait, name=name)
            equal("lost", 0, sum(place.recorder.first(name).reports[0]["lost"]
                                 .values()))
            equal("images", [], place.recorder.child_files(name))
            assert "no ledger" not in words, words


def no_room(place):
    """Test that they are counted, and not attributed to another user."""
    words = record(place, "no_room", wait="all")
    first = place.recorder.first()
    equal("left running, did not reach it, had no room", (0, 0, 1),
          tuple(first.lost(name) for name in
                ("left_running", "unrecorded_forks", "unrecorded_images")))
    assert "1 process image not recorded: out of memory (see --most), " \
        "address space" in words, words
    assert "another user" not in words, words


def not_followed(place):
    for follow in ("none", "exec"):
        left(place, 0, "once", follow=follow, name=follow)


scenario.main(double_fork, kept, at_the_end_of_a_wait, several,
              every_report_says_so, images, shares_memory, nothing_is_lost,
              no_room, not_followed)
