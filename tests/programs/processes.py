# SPDX-License-Identifier: Apache-2.0
"""The processes that a command leaves behind when it has ended."""

import ctypes
import os
import signal
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE_SECONDS = 3
KEEPER = "tally-keeper"  # holds the recording while recorded processes run


def adopt_orphans():
    """Who loses its parent below us becomes our child."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with(parent, number):
    """Get this signal when our parent, which was that one, ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def reap():
    """Forget children that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def descendants():
    """Name and id of each process below this one that has not ended."""
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
    """Return the sorted names of processes that run on, without a keeper of
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
    """End all processes that are left; return the names of idle keepers.

    Each gets SIGTERM first: a server may have to remove things outside its
    folder, as postgres has shared memory. A keeper gets none, for it ends by
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
