# SPDX-License-Identifier: Apache-2.0
"""vm.overcommit_memory=2: committed memory must exist.

The machine's setting is changed for about a second, and restored.
"""

from harness import scenario, watchdog
from harness.scenario import equal

MODE = "/proc/sys/vm/overcommit_memory"
RATIO = "/proc/sys/vm/overcommit_ratio"
ROOM = 16 << 20  # KiB


def ratio_with_room():
    """Return the percentage of memory, with the commitments of other
    processes."""
    fields = dict(line.split(":") for line in
                  scenario.read_file("/proc/meminfo").splitlines())
    total, promised = (int(fields[name].split()[0])
                       for name in ("MemTotal", "Committed_AS"))
    return (promised + ROOM) * 100 // total


def strict(place):
    mode = scenario.read_file(MODE)
    ratio = scenario.read_file(RATIO)
    program = [place.victim("fork_storm")]
    sparse = [place.victim("sparse_heap")]
    try:
        scenario.write_file(RATIO, str(ratio_with_room()))
        scenario.write_file(MODE, "2")
    except OSError as error:
        raise scenario.Skip(f"{MODE} cannot be set; run it as root") from error
    try:
        plain = watchdog.run(program)
        recorded = place.recorder.run(program)
        large = place.recorder.run(sparse, name="large")
    finally:
        scenario.write_file(MODE, mode)
        scenario.write_file(RATIO, ratio)
    equal("the plain run", 0, plain.status)
    scenario.same_run(plain, recorded)
    equal("ledgers of children", 30, len(place.recorder.child_files()))
    equal("a large heap", 0, large.status)
    account = place.recorder.first("large")
    equal("blocks", 640000, account.column("sites", "small", "blocks_total"))
    for name in account.lost_names():
        equal(f"lost.{name}", 0, account.lost(name))


scenario.main(strict)
