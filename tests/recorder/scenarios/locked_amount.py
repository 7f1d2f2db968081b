# SPDX-License-Identifier: Apache-2.0
"""mlockall locks the program's memory, and none of the recorder's.

Locked memory of the recorded run exceeds the plain run's at most by the pages
of the recorder's file, its module tables included.
"""

import os
import struct

from harness import scenario, watchdog
from harness.scenario import at_most, equal

TABLES_KIB = 756
LOAD, PAGE = 1, 4096


def pages_of_file(path):
    """Return the pages onto which the segments of a shared library go."""
    count = 0
    with open(path, "rb") as file:
        elf = file.read()
    start, size, number = struct.unpack_from("<Q14xHH", elf, 32)
    for at in range(start, start + size * number, size):
        kind, _, _, address, _, length = struct.unpack_from("<IIQQQQ", elf, at)
        if kind == LOAD:
            count += -(-(address + length) // PAGE) - address // PAGE
    return count


def locked_kib(outcome):
    equal(f"status, {outcome.stderr.decode()}", 0, outcome.status)
    return int(outcome.stdout.split()[-1])


def locked(place):
    program = [place.victim("locked_memory"), "amount"]
    plain = locked_kib(watchdog.run(program))
    recorded = locked_kib(place.recorder.run(program))
    print(f"locked KiB: plain {plain}, recorded {recorded}")
    library = os.path.join(os.path.dirname(place.recorder.tally),
                           "../lib/libtally-record.so")
    at_most("locked KiB", plain + TABLES_KIB +
            pages_of_file(library) * PAGE // 1024, recorded)


scenario.main(locked)
