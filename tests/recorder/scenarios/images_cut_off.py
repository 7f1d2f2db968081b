# SPDX-License-Identifier: Apache-2.0
"""Images that cannot reach the session: they run as ever, and are named.

Another user may not look at tally record's descriptors, and in another PID
namespace its number is somebody else's.
"""

import os
import shutil

from harness import scenario, watchdog
from harness.scenario import equal

NAMED = {"child_no_session", "child_no_preload"}


def told(place):
    """Notices about the child, and forks that are counted."""
    account = place.recorder.first()
    named = sum(times for code, times in account.notices().items()
                if code in NAMED)
    return named + account.lost("unrecorded_forks")


def compare(place, command):
    plain = watchdog.run(command)
    equal(f"the plain run, {plain.stderr.decode()}", 3, plain.status)
    recorded = place.recorder.run(command)
    scenario.same_run(plain, recorded)
    equal("its ledgers", [], place.recorder.child_files())
    assert told(place) >= 1, "no report tells of it"


def other_user(place):
    if os.getuid() != 0:
        raise scenario.Skip("only root can become another user; run it as root")
    child = place.file("says_hello")
    shutil.copy(place.victim("says_hello"), child)
    os.chmod(place.folder, 0o755)
    compare(place, [place.victim("becomes_nobody"), child])


def other_user_with_rights_until_exec(place):
    """Its rights let it see the session still, but not what it becomes."""
    if os.getuid() != 0:
        raise scenario.Skip("only root can become another user; run it as root")
    child = place.file("says_hello")
    shutil.copy(place.victim("says_hello"), child)
    os.chmod(place.folder, 0o755)
    compare(place, ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
                    "--clear-groups", child])


def other_namespace(place):
    command = ["/usr/bin/unshare", "--pid", "--fork", "--mount",
               "--mount-proc", place.victim("says_hello")]
    if watchdog.run(command).status != 3:
        raise scenario.Skip("namespaces cannot be made; run it as root")
    compare(place, command)


scenario.main(other_user, other_user_with_rights_until_exec, other_namespace)
