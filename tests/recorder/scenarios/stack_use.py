# SPDX-License-Identifier: Apache-2.0
"""Stack bytes that a recorded call needs beyond a plain one.

At most 256 bytes at a known call site, 1 KiB at a new one.
"""

from harness import scenario, watchdog
from harness.scenario import at_most, equal

WARM, FIRST = 256, 1024


def depths(outcome):
    equal("status", 0, outcome.status)
    return {name: int(depth) for name, depth in
            map(str.split, outcome.stdout.decode().splitlines())}


def stack_use(place):
    program = [place.victim("stack_depth")]
    plain = depths(watchdog.run(program))
    recorded = depths(place.recorder.run(program))
    equal("steps", set(plain), set(recorded))
    equal("without a call", plain["nothing"], recorded["nothing"])
    for name in plain:
        limit = WARM if name.startswith("warm") else FIRST
        print(f"{name}: plain {plain[name]}, recorded {recorded[name]}")
        at_most(f"{name}, plain {plain[name]}", plain[name] + limit,
                recorded[name])


scenario.main(stack_use)
