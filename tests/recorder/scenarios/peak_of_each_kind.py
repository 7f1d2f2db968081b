# SPDX-License-Identifier: Apache-2.0
"""The heap's peak has the heap's holders, and that of maps has theirs: a
reservation and a map that is gone by then choose no moment."""

from harness import scenario
from harness.scenario import at_most, equal

BLOCKS, SIZE, GIB, MIB = 1000, 20000, 1 << 30, 1 << 20


def held_by(rows, function):
    return sum(row["peak_bytes"] for row in rows
               if any(frame["function"] == function
                      for frame in row["stack"]))


def maps_of(found):
    equal("maps", (8 * GIB, 64 * MIB, 0),
          tuple(held_by(found["maps"], function) for function in
                ("reserve", "map_early", "before_and_after")))
    equal("peak of maps", 8 * GIB + 64 * MIB, found["totals"]["peak_of_maps"])


def report(place, *arguments):
    outcome = place.recorder.run([place.victim("kinds_of_memory"), *arguments])
    equal("status", 0, outcome.status)
    found = place.recorder.report(place.recorder.ledger())
    equal("rows add up", found["totals"]["peak_copied"],
          sum(row["peak_bytes"] for row in found["sites"]))
    maps_of(found)
    return found


def one_thread(place):
    found = report(place)
    totals = found["totals"]
    equal("peak", BLOCKS * SIZE, totals["peak_bytes"])
    equal("attributed", BLOCKS * SIZE, totals["peak_copied"])
    equal("one_holds", BLOCKS * SIZE, held_by(found["sites"], "one_holds"))
    equal("with maps", 8 * GIB + 64 * MIB, totals["peak_with_maps"])


def threads(place):
    found = report(place, "threads")
    totals = found["totals"]
    at_most("not in one_holds", totals["peak_uncertainty"],
            2 * BLOCKS * SIZE - held_by(found["sites"], "one_holds"))
    equal("other holders at the peak", 0,
          held_by(found["sites"], "before_and_after"))


scenario.main(one_thread, threads)
