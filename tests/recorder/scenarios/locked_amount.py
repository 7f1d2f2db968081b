# SPDX-License-Identifier: Apache-2.0
"""mlockall locks the program's memory, and none of the recorder's.

Locked memory of the recorded run exceeds the plain run's at most by the pages
of the recorder's file, its module tables included.
"""

from harness import scenario, watchdog
from harness.scenario import at_most, equal

SLACK_KIB = 1096


def locked_kib(outcome):
    equal(f"status, {outcome.stderr.decode()}", 0, outcome.status)
    return int(outcome.stdout.split()[-1])


def locked(place):
    program = [place.victim("locked_memory"), "amount"]
    plain = locked_kib(watchdog.run(program))
    recorded = locked_kib(place.recorder.run(program))
    print(f"locked KiB: plain {plain}, recorded {recorded}")
    at_most("locked KiB", plain + SLACK_KIB, recorded)


scenario.main(locked)
