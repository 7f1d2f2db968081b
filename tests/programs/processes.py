# SPDX-License-Identifier: Apache-2.0
"""The processes that a command leaves behind when it has ended."""

import ctypes
import os
import signal
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE_SECONDS = 3


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
    """The names of what still runs after a while, in order."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        reap()
        found = descendants()
        if not found or time.monotonic() > deadline:
            return sorted(name for name, _ in found)
        time.sleep(0.05)


def end_all():
    """End what is left, until nothing is.

    First each is asked, since a server may have things outside its folder to
    remove: postgres has shared memory.
    """
    begin = time.monotonic()
    asked = set()
    while time.monotonic() < begin + PATIENCE_SECONDS + 10:
        reap()
        found = descendants()
        if not found:
            return
        late = time.monotonic() > begin + PATIENCE_SECONDS
        for process in found:
            try:
                if late:
                    os.kill(process[1], signal.SIGKILL)
                elif process not in asked:
                    os.kill(process[1], signal.SIGTERM)
            except ProcessLookupError:
                pass
            asked.add(process)
        time.sleep(0.02)
    raise AssertionError(f"still running: {descendants()}")
