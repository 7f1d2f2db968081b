# SPDX-License-Identifier: Apache-2.0
"""Under Valgrind, whose mremap does not extend a mapping, ledgers grow too."""

from harness import scenario, watchdog
from harness.scenario import equal

SITES, THREADS = 20000, 4
VALGRIND = ["/usr/bin/valgrind", "--quiet", "--tool=none"]


def command(place, sites):
    return [*VALGRIND, place.victim("many_sites"), str(sites)]


def whole_stacks(place):
    """Test that Valgrind reports no invalid system call."""
    plain = watchdog.run(command(place, 100))
    scenario.same_run(plain, place.recorder.run(command(place, 100)))


def many_sites(place):
    outcome = place.recorder.run(command(place, SITES), ["--stacks=caller"],
                                 timeout=250)
    equal("status", 0, outcome.status)
    reports = [report for report in place.recorder.children().reports
               if len(report["sites"]) >= SITES]
    equal("processes with all sites", 1, len(reports))
    equal("lost", [], [name for name, count in reports[0]["lost"].items()
                       if name.startswith("lost_") and count != 0])
    equal("blocks of sites made at run time", SITES * (THREADS + 1),
          sum(row["blocks_total"] for row in reports[0]["sites"]
              if row["stack"][0]["module"] is None))


scenario.main(whole_stacks, many_sites)
