# SPDX-License-Identifier: Apache-2.0
"""Run one command and say what it cost, it and all its descendants.

The cost of a recorded run includes tally record itself: whoever records pays
for that too.
"""

import os
import signal
import subprocess
import time

RUN_SECONDS = 600  # a run that takes longer hangs
POLL_SECONDS = 0.005


class Failure(Exception):
    """A run did not end as it should."""


def start(command, environment, stdin_path, folder):
    with open(stdin_path or os.devnull, "rb") as stdin:
        return subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=folder,
            env={**os.environ, **environment}, start_new_session=True)


def check(command, output, status):
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        last = output.decode(errors="replace").strip().splitlines()[-1:]
        raise Failure(f"{' '.join(command)}: exit {code}: {' '.join(last)}")


def user_seconds(command, environment, stdin_path, folder):
    """(user time in seconds, output)"""
    process = start(command, environment, stdin_path, folder)
    signal.signal(signal.SIGALRM,
                  lambda *_: os.killpg(process.pid, signal.SIGKILL))
    signal.alarm(RUN_SECONDS)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    signal.alarm(0)
    process.returncode = 0
    check(command, output, status)
    return usage.ru_utime, output


def status_kib(pid, fields):
    """The named fields of /proc/PID/status, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        return [int(lines[field].split()[0]) for field in fields]
    except (OSError, KeyError, ValueError):
        return None


def measured_pid(process, is_recorded):
    """The program itself: under tally record, the child that is not tally."""
    if not is_recorded:
        return process.pid
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children",
                  encoding="utf-8") as file:
            children = file.read().split()
        tally = os.readlink(f"/proc/{process.pid}/exe")
        return next((int(child) for child in children
                     if os.readlink(f"/proc/{child}/exe") != tally), None)
    except OSError:
        return None


def memory_kib(command, environment, stdin_path, folder, is_recorded):
    """(highest resident set, highest anonymous part of it), sampled."""
    process = start(command, environment, stdin_path, folder)
    highest = anonymous = 0
    deadline = time.monotonic() + RUN_SECONDS
    while process.poll() is None:
        pid = measured_pid(process, is_recorded)
        found = pid and status_kib(pid, ("VmHWM", "RssAnon"))
        if found:
            highest = max(highest, found[0])
            anonymous = max(anonymous, found[1])
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(POLL_SECONDS)
    output = process.stdout.read()
    if process.returncode != 0 or highest == 0:
        raise Failure(f"{' '.join(command)}: exit {process.returncode}, "
                      f"{highest} KiB: "
                      f"{output.decode(errors='replace')[-200:]}")
    return highest, anonymous


def instructions(command, environment, stdin_path, folder):
    """Instructions that callgrind counted in the program itself."""
    process = start(command, environment, stdin_path, folder)
    output = process.communicate(timeout=RUN_SECONDS)[0].decode(
        errors="replace")
    counts = [int(line.split(":")[-1].replace(",", ""))
              for line in output.splitlines() if "Collected :" in line]
    if process.returncode != 0 or not counts:
        raise Failure(f"{' '.join(command)}: no count: {output[-200:]}")
    return max(counts)
