# SPDX-License-Identifier: Apache-2.0
"""What tally attach sees of libc's services: maps, threads, programs that are
run, filters."""

import subprocess

from harness import scenario
from harness.attached_program import Program, by_stack, has
from harness.recording import Account
from harness.scenario import equal


def maps_beside_an_own_allocator(place):
    """libc's services are far from the program's malloc, and patched, too.
    What the allocator maps for itself is in no account; its operators are."""
    steps = "amtn"
    recorded = subprocess.run(
        place.recorder.command([place.victim("own_heap")]), check=False,
        input=(steps + "e").encode(), stdout=subprocess.DEVNULL, timeout=60)
    equal("status", 4, recorded.returncode)
    reports = [place.recorder.report(place.file("ledger"))]
    with Program(place, "own_heap") as program:
        program.do(steps)
        for number in range(3):
            file = place.file(str(number))
            attaching = program.attach(file)
            program.do(steps)
            program.detach(attaching)
            reports.append(place.recorder.report(file))
        program.end()
    for report in reports:
        found = Account([report])
        has(found, "block", 100, 100)
        has(found, "by_new", 50, 0)
        equal("maps", (30, 11), tuple(
            found.map_stack(["map_pages", "map", "main"], column)
            for column in ("blocks_total", "blocks_live")))
        equal("a map that grew", 5 * 4096, found.map_stack(
            ["map_pages", "grown", "main"], "bytes_live"))
        equal("stacks of threads", (4, 0), tuple(
            found.column("threads", "threads", column) for column in
            ("blocks_total", "blocks_live")))
        for kind in ("maps", "threads"):
            equal(kind, by_stack(reports[0], kind), by_stack(report, kind))
        equal("pools", [], [stack for stack in by_stack(report, "maps")
                            if "malloc" in [frame[0] for frame in stack]])


scenario.main(maps_beside_an_own_allocator)
