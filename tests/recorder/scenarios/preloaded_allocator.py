# SPDX-License-Identifier: Apache-2.0
"""Allocators, glibc's checks and libraries with an mmap, preloaded by the
user: exact to the block and to the call."""

import glob
import re

from harness import expectation, scenario, watchdog
from harness.scenario import equal

ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4",
              "libtcmalloc.so.4")


def preload(place, library, victim):
    expected = expectation.Expectation(
        f"{__file__.rsplit('/', 2)[0]}/victims/{victim}.expect", None)
    environment = {"LD_PRELOAD": library}
    program = [place.victim(victim)]
    plain = watchdog.run(program, environment=environment)
    scenario.equal("the plain run", 0, plain.status)
    recorded = place.recorder.run(program, environment=environment)
    scenario.same_run(plain, recorded)
    problems = list(expected.check(place.recorder.first()))
    assert not problems, "; ".join(problems)
    # Without this the test would not use the library.
    modules = watchdog.run(["/bin/cat", "/proc/self/maps"],
                           environment=environment).stdout.decode()
    name = library.rsplit("/", 1)[1].split(".")[0]
    assert name in modules, f"{library} was not loaded"


def preload_allocator(place, library):
    found = glob.glob(f"/usr/lib/*/{library}")
    assert found, f"{library} is not installed"
    preload(place, found[0], "other_allocator")


def jemalloc(place):
    preload_allocator(place, ALLOCATORS[0])


def tcmalloc_minimal(place):
    preload_allocator(place, ALLOCATORS[1])


def tcmalloc(place):
    preload_allocator(place, ALLOCATORS[2])


def maps_by_syscall(place):
    """Test that calls passed to syscall() are recorded, so not lost."""
    preload(place, place.victim("maps_by_syscall.so"), "map_forms")


def maps_by_mmap64(place):
    """Test that calls passed to libc's mmap64 count once."""
    preload(place, place.victim("maps_by_mmap64.so"), "map_forms")


def malloc_debug(place):
    """Test a malloc without a default version: the loader finds it, and so
    does the recorder. A byte past a block's end is found, and each call is in
    the trace."""
    library, trace = "libc_malloc_debug.so.0", place.file("trace")
    checked = {"LD_PRELOAD": library, "MALLOC_CHECK_": "3"}
    traced = {"LD_PRELOAD": library, "MALLOC_TRACE": trace}
    program = [place.victim("writes_past_end")]
    for arguments, status in ([], 0), (["one"], -6):
        plain = watchdog.run(program + arguments, environment=checked)
        equal("the plain run", status, plain.status)
        recorded = place.recorder.run(program + arguments,
                                      name=f"checked{status}",
                                      environment=checked)
        scenario.same_run(plain, recorded)
        found = place.recorder.first(f"checked{status}")
        equal("allocations", 10, found.total("allocations"))
        equal("frees", 10, found.total("frees"))
    scenario.write_file(trace, "")
    equal("the traced run", 0, place.recorder.run(
        program, name="traced", environment=traced).status)
    calls = re.findall(r"^@ .* ([+-]) 0x", scenario.read_file(trace),
                       re.MULTILINE)
    equal("traced calls", (10, 10), (calls.count("+"), calls.count("-")))


def sized(place):
    """Test a free_sized that jumps to free, which is the recorder's again: one
    free."""
    environment = {"LD_PRELOAD": place.victim("sized_library.so")}
    for function in "free_sized", "free_aligned_sized":
        program = [place.victim("release"), function]
        plain = watchdog.run(program, environment=environment)
        equal("the plain run", 0, plain.status)
        recorded = place.recorder.run(program, name=function,
                                      environment=environment)
        scenario.same_run(plain, recorded)
        found = place.recorder.first(function)
        equal(function, {}, {name: found.lost(name)
                             for name in found.lost_names()
                             if found.lost(name)})
        equal("blocks and frees", (101, 100), (found.total("allocations"),
                                               found.total("frees")))


scenario.main(jemalloc, tcmalloc_minimal, tcmalloc, maps_by_syscall,
              maps_by_mmap64, malloc_debug, sized)
