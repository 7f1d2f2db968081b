# SPDX-License-Identifier: Apache-2.0
"""Images that cannot open the session run normally, and are named.

Another user may not read tally record's descriptors, and in another PID
namespace its number is another process's.
"""

import os
import shutil

from harness import scenario, watchdog
from harness.scenario import equal

NAMED = {"child_no_session", "child_no_preload"}


def told(place):
    """Return notices about the child, and counted forks."""
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
    text = watchdog.run([place.recorder.tally, "report", "--all",
                         place.recorder.ledger()]).stdout.decode()
    assert "tally record" in text, f"no report says what to do: {text}"


def other_user(place):
    if os.getuid() != 0:
        raise scenario.Skip("only root can become another user; run it as root")
    child = place.file("says_hello")
    shutil.copy(place.victim("says_hello"), child)
    os.chmod(place.folder, 0o755)
    compare(place, [place.victim("becomes_nobody"), child])


def other_user_with_rights_until_exec(place):
    """Test a program whose capabilities let it open the session, but not the
    program that it execs."""
    if os.getuid() != 0:
        raise scenario.Skip("only root can become another user; run it as root")
    child = place.file("says_hello")
    shutil.copy(place.victim("says_hello"), child)
    os.chmod(place.folder, 0o755)
    compare(place, ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
                    "--clear-groups", child])


def shell_of_another_user(place):
    """Test su, from a shell and at the top: the summary names its program, and
    says what to do."""
    if os.getuid() != 0:
        raise scenario.Skip("only root can become another user; run it as root")
    su = ["/usr/bin/su", "-s", "/bin/sh", "nobody", "-c", "/bin/ls /; exit 3"]
    plain = watchdog.run(su)
    equal("the plain run", 3, plain.status)
    for name, command in (("shell", ["/bin/sh", "-c",
                                     '"$@"; exit $?', "sh", *su]),
                          ("top", su)):
        outcome = watchdog.run([place.recorder.tally, "record", "-o",
                                place.recorder.ledger(name), *command])
        equal(f"{name}: status", 3, outcome.status)
        equal(f"{name}: output", plain.stdout, outcome.stdout)
        said = outcome.stderr.decode()
        assert "it changed user, root or sandbox" in said and \
            "start tally record there" in said, said
        text = watchdog.run([place.recorder.tally, "report", "--all",
                             place.recorder.ledger(name)]).stdout.decode()
        assert "start tally record there" in text, text


def other_namespace(place):
    command = ["/usr/bin/unshare", "--pid", "--fork", "--mount",
               "--mount-proc", place.victim("says_hello")]
    if watchdog.run(command).status != 3:
        raise scenario.Skip("namespaces cannot be made; run it as root")
    compare(place, command)


scenario.main(other_user, other_user_with_rights_until_exec,
              shell_of_another_user, other_namespace)
