# SPDX-License-Identifier: Apache-2.0
"""libc's services under tally attach: mappings, threads, programs, filters."""

import os
import subprocess

from harness import scenario
from harness.attached_program import Program, account, by_stack, has
from harness.recording import Account
from harness.scenario import equal


def maps_beside_an_own_allocator(place):
    """Test services that are far from the program's malloc, and patched too.
    The allocator's own mappings are not recorded; its operators are."""
    steps = "amtn"
    recorded = subprocess.run(
        place.recorder.command([place.victim("own_heap")]), check=False,
        input=(steps + "e").encode(), stdout=subprocess.DEVNULL, timeout=60)
    equal("status", 4, recorded.returncode)
    reports = [place.recorder.report(place.file("ledger"))]
    with Program(place, victim="own_heap") as program:
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


def programs_that_it_runs(place):
    """Test each of libc's functions that runs programs, recorded as by tally
    record, and unrecorded after detaching."""
    ways = "evCpPlLEafsokiI"
    with Program(place, victim="ways_to_run") as program:
        for name in ("a", "b"):
            program.do(ways)
            attaching = program.attach(place.file(name))
            for way in ways:
                program.process.stdin.write(way.encode())
                program.process.stdin.flush()
                program.expect("r")
            program.detach(attaching)
            program.do(ways)
            found = place.recorder.children(name)
            equal("programs", len(ways), len(
                [report for report in found.reports
                 if os.path.basename(report["process"]["program"]) ==
                 "ways_to_run" and not report["process"].get("forked")]))
            equal("blocks", 7 * len(ways),
                  found.column("sites", "work", "blocks_total"))
            equal("notices", {}, found.notices())
            equal("notices", {}, account(place, place.file(name)).notices())


def a_filter_meanwhile(place):
    """Test that no call follows that the filter may kill for."""
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("as")
        program.do("kab")
        program.detach(attaching)
        found = account(place, place.file("a"))
        has(found, "first", 200, 200)
        has(found, "second", 50, 50)
        equal("notices", {"sandboxed": 1}, found.notices())
        equal("forks", 1, found.lost("unrecorded_forks"))
        program.end()


scenario.main(maps_beside_an_own_allocator, programs_that_it_runs,
              a_filter_meanwhile)
