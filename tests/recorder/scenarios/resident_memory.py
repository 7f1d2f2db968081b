# SPDX-License-Identifier: Apache-2.0
"""Resident memory, read from outside, adds up, and each part has the victim's
size."""

import json
import subprocess
import time

from harness import scenario, watchdog
from harness.scenario import equal

MIB = 1 << 20
PAGE = 4096
LIVE = 16 * MIB + 48 * MIB
PARTS = ("live_blocks", "allocator_slack", "anonymous_maps", "mapped_files",
         "stacks", "tally", "unexplained")


def between(what, least, most, found):
    assert least <= found <= most, f"{what}: {found} not in {least}..{most}"


def check_sums(reading):
    equal("the sum of all parts", reading["bytes"],
          sum(reading[part] or 0 for part in PARTS))


def check_parts(reading):
    check_sums(reading)
    between("live blocks", LIVE, LIVE + MIB, reading["live_blocks"])
    between("slack", 8 * MIB - 64 * 1024, 9 * MIB, reading["allocator_slack"])
    equal("anonymous maps", 24 * MIB, reading["anonymous_maps"])
    between("files", 32 * MIB, 40 * MIB, reading["mapped_files"])
    between("stacks", 8 * 512 * 1024, 8 * 640 * 1024, reading["stacks"])
    between("ours", 64 * 1024, 64 * MIB, reading["tally"])
    between("unexplained", 0, 64 * 1024, reading["unexplained"])


def run(place, *arguments):
    outcome = place.recorder.run([place.victim("resident_memory"),
                                  *arguments])
    equal("status", 0, outcome.status)
    return place.recorder.report(place.recorder.ledger())


def each_part_is_what_was_held(place):
    report = run(place)
    check_parts(report["resident"]["most"])
    check_sums(report["resident"])
    assert report["resident"]["highest_bytes"] >= \
        report["resident"]["most"]["bytes"] - MIB, report["resident"]
    age = report["process"]["end_ns"] - report["resident"]["ns"]
    assert age >= 0, report["resident"]


def untouched_blocks_are_not_resident(place):
    reading = run(place, "untouched")["resident"]["most"]
    check_sums(reading)
    between("live blocks", LIVE + 200 * MIB, LIVE + 201 * MIB,
            reading["live_blocks"])
    between("below zero", -192 * MIB - 64 * 1024, -190 * MIB,
            reading["allocator_slack"])


def what_nobody_saw_is_said(place):
    report = run(place, "raw")
    check_sums(report["resident"]["most"])
    between("slack", 20 * MIB - 64 * 1024, 21 * MIB,
            report["resident"]["most"]["allocator_slack"])
    text = watchdog.run([place.recorder.tally, "report", "--full",
                         place.recorder.ledger()]).stdout
    assert b"includes mmap memory that was not recorded" in text, text


def a_running_process_is_read_at_once(place):
    command = place.recorder.command([place.victim("resident_memory")])
    with subprocess.Popen(command, env=watchdog.clean_environment(),
                          stdout=subprocess.PIPE) as tally:
        try:
            equal("line", b"holds it\n", tally.stdout.readline())
            begun = time.time_ns()
            outcome = watchdog.run([place.recorder.tally, "report", "--json",
                                    str(tally.pid)])
            equal("status", 0, outcome.status)
            report = json.loads(outcome.stdout)
            assert report["resident"]["ns"] >= begun, report["resident"]
            check_parts(report["resident"])
            with open(f"/proc/{report['process']['pid']}/statm",
                      encoding="ascii") as file:
                now = int(file.read().split()[1]) * PAGE
            between("all", now - MIB, now + MIB, report["resident"]["bytes"])
        finally:
            tally.wait(timeout=30)


def another_image_does_not_answer(place):
    """Test that a program run by exec is not taken for the one of the
    ledger."""
    script = "import os, time; b = bytes(64 << 20); time.sleep(0.4); " \
             "os.execv('/bin/sleep', ['sleep', '1'])"
    outcome = place.recorder.run(["/usr/bin/python3", "-c", script],
                                 options=["--follow=none"])
    equal("status", 0, outcome.status)
    resident = place.recorder.report(place.recorder.ledger())["resident"]
    assert resident["bytes"] > 8 * MIB, resident


scenario.main(each_part_is_what_was_held, untouched_blocks_are_not_resident,
              what_nobody_saw_is_said, a_running_process_is_read_at_once,
              another_image_does_not_answer)
