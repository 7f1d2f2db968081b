# SPDX-License-Identifier: Apache-2.0
"""Transparent huge pages always: the recorder's memory stays in small ones.

Also the bound on resident memory, which huge pages would break: the plain
run's pages times 1.25, and 4 MiB.
"""

from harness import scenario, watchdog
from harness.scenario import at_most, equal

SETTING = "/sys/kernel/mm/transparent_hugepage/enabled"


def resident_kib(outcome):
    equal("status", 0, outcome.status)
    return [int(peak) for peak in outcome.stdout.split()]


def compare(place):
    program = [place.victim("sparse_heap")]
    plain = resident_kib(watchdog.run(program))
    recorded = resident_kib(place.recorder.run(program))
    for stage, left, right in zip(("sparse", "dense"), plain, recorded):
        print(f"{stage}: plain {left} KiB, recorded {right} KiB")
        at_most(f"resident KiB of the {stage} heap", left * 1.25 + 4096, right)
    equal("blocks", 640000, place.recorder.first().column(
        "sites", "small", "blocks_total"))


def as_configured(place):
    compare(place)


def always(place):
    before = scenario.read_file(SETTING).split("[")[1].split("]")[0]
    try:
        scenario.write_file(SETTING, "always")
    except OSError as error:
        raise scenario.Skip(f"{SETTING}: {error.strerror}") from error
    try:
        compare(place)
    finally:
        scenario.write_file(SETTING, before)


scenario.main(as_configured, always)
