# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot be preloaded: refused at the top, named as children.

They are static, set-user-ID, or run without LD_PRELOAD.
"""

import os
import shutil

from harness import scenario, watchdog
from harness.scenario import equal

NOBODY = 65534


def static_program(place):
    path = place.victim("says_hello_static")
    assert os.path.exists(path), f"{path} was not built"
    return path


def setuid_program(place):
    """Return a copy that would run as another user."""
    if os.getuid() != 0:
        raise scenario.Skip("only root can make a file of another user; "
                            "run it as root")
    path = place.file("says_hello_setuid")
    shutil.copy(place.victim("says_hello"), path)
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, 0o4755)
    os.chmod(place.folder, 0o755)
    return path


def refused(place, program, reason):
    outcome = place.recorder.run([program])
    equal("status", 2, outcome.status)
    equal("the program's output", b"", outcome.stdout)
    lines = outcome.stderr.decode().splitlines()
    equal("lines of stderr", 1, len(lines))
    assert lines[0].startswith(f"tally: {program}: ") and reason in lines[0], \
        lines[0]
    assert not os.path.exists(place.recorder.ledger()), "a ledger was left"


def static_at_the_top(place):
    refused(place, static_program(place), "static")


def setuid_at_the_top(place):
    refused(place, setuid_program(place), "set-user-ID")


def child(place, program, environment, notice):
    command = [place.victim("runs_program"), environment, program]
    plain = watchdog.run(command)
    equal("the plain run", 3, plain.status)
    recorded = place.recorder.run(command)
    scenario.same_run(plain, recorded)
    equal("notices", {notice: 1} if notice else {},
          place.recorder.first().notices())
    equal("ledgers of children", 0 if notice else 1,
          len(place.recorder.child_files()))
    equal("blocks of the parent", 2, place.recorder.first().column(
        "sites", "in_main", "blocks_total"))


def static_child(place):
    child(place, static_program(place), "with", "child_static")


def setuid_child(place):
    child(place, setuid_program(place), "with", "child_setuid")


def child_without_preload(place):
    child(place, place.victim("says_hello"), "without", "child_no_preload")


def recordable_child(place):
    child(place, place.victim("says_hello"), "with", None)


scenario.main(static_at_the_top, setuid_at_the_top, static_child, setuid_child,
              child_without_preload, recordable_child)
