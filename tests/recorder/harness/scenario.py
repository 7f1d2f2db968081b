# SPDX-License-Identifier: Apache-2.0
"""Shared code of scenarios: paths, a folder to work in, checks.

A scenario is a list of functions that take a Place; each runs in a folder of
its own. It fails when one raises AssertionError and skips, loudly, when one
raises Skip and none failed.
"""

import os
import sys
import tempfile
import time
import traceback

from harness import recording

SKIPPED = 77


class Skip(Exception):
    """Raised, with the reason, if a scenario cannot run here."""


class Place:
    def __init__(self, build, programs, folder):
        self.programs = programs
        self.folder = folder
        self.recorder = recording.Recorder(build, folder)

    def victim(self, name):
        return os.path.join(self.programs, name)

    def file(self, name):
        return os.path.join(self.folder, name)


def equal(what, expected, found):
    assert expected == found, f"{what}: expected {expected!r}, found {found!r}"


def at_most(what, limit, found):
    assert found <= limit, f"{what}: at most {limit!r}, found {found!r}"


def same_run(plain, recorded):
    """Check that recording a program changes nothing that it shows."""
    found = recording.differences(plain, recorded)
    assert not found, "; ".join(found)


def wait_until(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.01)


def write_file(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(*steps):
    build, programs = map(os.path.abspath, sys.argv[1:3])
    failed = skipped = 0
    for step in steps:
        with tempfile.TemporaryDirectory(prefix="tally-scenario-") as folder:
            try:
                step(Place(build, programs, folder))
                print(f"{step.__name__}: passed")
            except Skip as why:
                skipped += 1
                print(f"{step.__name__}: SKIPPED: {why}")
            except AssertionError as error:
                failed += 1
                print(f"{step.__name__}: FAILED")
                print(f"    {error}" if str(error) else traceback.format_exc())
    if failed:
        sys.exit(1)
    sys.exit(SKIPPED if skipped else 0)
