# SPDX-License-Identifier: Apache-2.0
"""jemalloc and tcmalloc preloaded by the user: exact to the block, too."""

import glob

from harness import expectation, scenario, watchdog

EXPECT = "victims/other_allocator.expect"
ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4",
              "libtcmalloc.so.4")


def preload(place, library):
    found = glob.glob(f"/usr/lib/*/{library}")
    assert found, f"{library} is not installed"
    expected = expectation.Expectation(
        __file__.rsplit("/", 2)[0] + "/" + EXPECT, None)
    expected.uncounted.add("raw_map_calls")
    environment = {"LD_PRELOAD": found[0]}
    program = [place.victim("other_allocator")]
    plain = watchdog.run(program, environment=environment)
    scenario.equal("the plain run", 0, plain.status)
    recorded = place.recorder.run(program, environment=environment)
    scenario.same_run(plain, recorded)
    problems = list(expected.check(place.recorder.first()))
    assert not problems, "; ".join(problems)
    # Else the test would say nothing about the allocator.
    modules = watchdog.run(["/bin/cat", "/proc/self/maps"],
                           environment=environment).stdout.decode()
    assert library.split(".")[0] in modules, f"{library} was not loaded"


def jemalloc(place):
    preload(place, ALLOCATORS[0])


def tcmalloc_minimal(place):
    preload(place, ALLOCATORS[1])


def tcmalloc(place):
    preload(place, ALLOCATORS[2])


scenario.main(jemalloc, tcmalloc_minimal, tcmalloc)
