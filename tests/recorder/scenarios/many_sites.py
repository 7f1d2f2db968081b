# SPDX-License-Identifier: Apache-2.0
"""Unlimited call sites: full references name all, 16 bits do not.

Call sites made at run time, used by four threads at once while others fork.
"""

import os

from harness import scenario, watchdog
from harness.scenario import equal

THREADS, FORKS = 4, 10
COMPRESSED = "--sysctl=sysctl.vm.mem_profiling=1,compressed"
REFERENCES = 65535


def unknown(account):
    """Return the rows outside any module: the call sites made at run time.

    Rows without counts are left out.
    """
    return [row for report in account.reports for row in report["sites"]
            if row["stack"][0]["module"] is None and
            row["blocks_total"] + row["blocks_inherited"] > 0]


def record(place, sites, *options):
    program = [place.victim("many_sites"), str(sites)]
    plain = watchdog.run(program)
    equal("the plain run", 0, plain.status)
    recorded = place.recorder.run(program, options, timeout=120)
    scenario.same_run(plain, recorded)
    return place.recorder.first()


def exact(place, account, sites):
    rows = unknown(account)
    equal("rows", sites, len(rows))
    equal("rows that are wrong", [], [
        row for row in rows
        if (row["blocks_total"], row["blocks_live"], row["bytes_live"]) !=
        (THREADS + 1, 1, 40)][:3])
    children = place.recorder.children()
    equal("ledgers of children", FORKS, len(children.reports))
    equal("blocks of children", FORKS * (sites // 100),
          sum(row["blocks_total"] for row in unknown(children)))
    equal("less than nothing", [], children.negative_rows()[:3])
    for name in account.lost_names():
        equal(f"lost.{name}", 0, account.lost(name) + children.lost(name))


def full(place):
    exact(place, record(place, 100000, "--stacks=caller"), 100000)
    size = os.stat(place.recorder.ledger()).st_blocks * 512
    scenario.at_most("bytes on disk for a site", 100000 * 1024, size)


def compressed(place):
    exact(place, record(place, 20000, COMPRESSED), 20000)


def too_many_for_compressed(place):
    """Test that profiling is disabled for good, and that a notice says so."""
    account = record(place, 100000, COMPRESSED)
    equal("notices", {"references_exhausted": 1}, account.notices())
    rows = len(unknown(account))
    # Threads that use a call site at the same instant each open an id for it.
    assert REFERENCES // THREADS <= rows <= REFERENCES, rows
    equal("less than nothing", [], account.negative_rows()[:3])


scenario.main(full, compressed, too_many_for_compressed)
