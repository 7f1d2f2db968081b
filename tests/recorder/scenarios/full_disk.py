# SPDX-License-Identifier: Apache-2.0
"""No space for FILE: the program runs and ends normally; one line says why."""

import os
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal


def mount_small(path, size):
    os.mkdir(path)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path],
        stderr=subprocess.PIPE, check=False)
    if mounted.returncode != 0:
        raise scenario.Skip("no tmpfs can be mounted; run it as root: " +
                            mounted.stderr.decode().strip())


def unmount(path):
    subprocess.run(["umount", path], check=True)


def fill(path):
    with open(os.path.join(path, "filler"), "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def record_onto(place, path):
    program = [place.victim("works_on")]
    plain = watchdog.run(program, stdin=b"\n")
    recorder = scenario.recording.Recorder(
        os.path.dirname(os.path.dirname(place.recorder.tally)), path)
    recorded = recorder.run(program, stdin=b"\n")
    equal("status", plain.status, recorded.status)
    equal("output", plain.stdout, recorded.stdout)
    lines = recorded.stderr.decode().splitlines()
    equal("lines of stderr", 1, len(lines))
    assert lines[0].startswith("tally: ") and "space" in lines[0], lines[0]
    left = set(os.listdir(path)) - {"filler"}
    equal("left behind", set(), left)


def full_tmpfs(place):
    path = place.file("full")
    mount_small(path, "64k")
    try:
        fill(path)
        record_onto(place, path)
    finally:
        unmount(path)


def nearly_full_tmpfs(place):
    path = place.file("nearly")
    mount_small(path, "8k")
    try:
        record_onto(place, path)
    finally:
        unmount(path)


def folder_gone(place):
    """Test that removing FILE's folder during a run is reported, and changes
    nothing else."""
    path = place.file("gone")
    os.mkdir(path)
    recorder = scenario.recording.Recorder(
        os.path.dirname(os.path.dirname(place.recorder.tally)), path)
    recorded = recorder.run(["/bin/sh", "-c", f"rmdir {path}; echo hi; exit 6"])
    equal("status", 6, recorded.status)
    equal("output", b"hi\n", recorded.stdout)
    equal("lines of stderr", 1, len(recorded.stderr.decode().splitlines()))


scenario.main(full_tmpfs, nearly_full_tmpfs, folder_gone)
