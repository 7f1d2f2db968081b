# SPDX-License-Identifier: Apache-2.0
"""Transparent huge pages always: the recorder's memory stays in small ones.

It then needs no more than without huge pages. Dense heaps keep to the bound on
resident memory: the plain run's pages times 1.25, and 4 MiB.

The kernel also merges adjacent pages into huge ones later, so each of the
recorder's mappings declines that.
"""

import re
import subprocess

from harness import scenario, watchdog
from harness.scenario import at_most, equal

SETTING = "/sys/kernel/mm/transparent_hugepage/enabled"
SLACK_KIB = 4096
LARGE_KIB = 1024


def peaks(outcome):
    """Return resident KiB of the sparse heap and of the dense one."""
    equal("status", 0, outcome.status)
    return [int(peak) for peak in outcome.stdout.split()]


def measure(place, setting):
    """Return the plain run's need, and the addition by recording."""
    program = [place.victim("sparse_heap")]
    before = scenario.read_file(SETTING).split("[")[1].split("]")[0]
    try:
        scenario.write_file(SETTING, setting)
    except OSError as error:
        raise scenario.Skip(
            f"{SETTING} cannot be set; run it as root") from error
    try:
        plain = peaks(watchdog.run(program))
        recorded = peaks(place.recorder.run(program, name=setting))
    finally:
        scenario.write_file(SETTING, before)
    print(f"{setting}: plain {plain} KiB, recorded {recorded} KiB")
    equal("blocks", 640000, place.recorder.first(setting).column(
        "sites", "small", "blocks_total"))
    return plain, [right - left for left, right in zip(plain, recorded)]


def always(place):
    plain, added = measure(place, "never")
    at_most("KiB added to a dense heap",
            (plain[1] - plain[0]) / 4 + added[0] + SLACK_KIB, added[1])
    _, added_always = measure(place, "always")
    at_most("KiB added to a sparse heap", added[0] + SLACK_KIB,
            added_always[0])


def large_mappings(command):
    """Return flags of the anonymous mappings of a program that waits for
    input."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=watchdog.clean_environment())
    try:
        equal("first words", b"begun\n", process.stdout.readline())
        children = scenario.read_file(
            f"/proc/{process.pid}/task/{process.pid}/children").split()
        text = scenario.read_file(
            f"/proc/{children[0] if children else process.pid}/smaps")
        process.communicate(b"\n", timeout=30)
    finally:
        process.kill()
        process.wait()
    found = re.findall(r"^\w+-\w+ \S+ \w+ 00:00 0 *\nSize: +(\d+) kB\n"
                       r"(?:(?!VmFlags).*\n)*VmFlags: (.*)$", text, re.M)
    return [flags.split() for size, flags in found
            if int(size) >= LARGE_KIB]


def none_wanted(place):
    program = [place.victim("works_on")]
    equal("large mappings of the plain run", [], large_mappings(program))
    recorded = large_mappings(place.recorder.command(program))
    assert recorded, "no mapping of the recorder was found"
    equal("mappings that want huge pages", [],
          [flags for flags in recorded if "nh" not in flags])
    equal("mappings that would be dumped", [],
          [flags for flags in recorded if "dd" not in flags])


scenario.main(always, none_wanted)
