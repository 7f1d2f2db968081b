# SPDX-License-Identifier: Apache-2.0
"""Processes that a command leaves behind."""

import ctypes
import os
import signal
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE_SECONDS = 3
KEEPER = "tally-keeper"  # holds the recording while recorded processes run


def adopt_orphans():
    """Make orphaned descendants children of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent, number):
    """Get this signal when the parent, which was that process, exits."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def reap():
    """Reap children that have exited."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def descendants():
    """Return name and PID of each running descendant."""
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8",
                      errors="replace") as file:
                text = file.read()
        except (FileNotFoundError, ProcessLookupError):
            continue
        name = text[text.index("(") + 1:text.rindex(")")]
        state, parent = text[text.rindex(")") + 2:].split()[:2]
        children.setdefault(int(parent), []).append((name, int(entry), state))
    found, pending = [], [os.getpid()]
    while pending:
        for name, number, state in children.get(pending.pop(), []):
            pending.append(number)
            if state != "Z":
                found.append((name, number))
    return found


def left_behind():
    """Return the sorted names of processes that still run, without keepers of
    others."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        reap()
        found = descendants()
        if not found or time.monotonic() > deadline:
            names = {name for name, _ in found}
            return sorted(name for name, _ in found
                          if name != KEEPER or names == {KEEPER})
        time.sleep(0.05)


def end_all():
    """End all remaining processes; return the names of idle keepers.

    Each gets SIGTERM first: a server may have to remove things outside its
    folder, like postgres its shared memory. A keeper gets none: it exits by
    itself after the last process that it serves.
    """
    begin = alone_since = time.monotonic()
    asked = set()
    idle = []
    while time.monotonic() < begin + PATIENCE_SECONDS + 10:
        reap()
        found = descendants()
        if not found:
            return idle
        late = time.monotonic() > begin + PATIENCE_SECONDS
        if {name for name, _ in found} != {KEEPER}:
            alone_since = time.monotonic()
        elif time.monotonic() > alone_since + PATIENCE_SECONDS:
            idle = [name for name, _ in found]
        for process in found:
            try:
                if process[0] == KEEPER and process[0] not in idle:
                    continue
                if late:
                    os.kill(process[1], signal.SIGKILL)
                elif process not in asked:
                    os.kill(process[1], signal.SIGTERM)
            except ProcessLookupError:
                pass
            asked.add(process)
        time.sleep(0.02)
    raise AssertionError(f"still running: {descendants()}")
