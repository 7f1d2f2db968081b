# SPDX-License-Identifier: Apache-2.0
"""Unlimited stacks: each has its figures, and past the limit call sites have.

There are more stacks than fit into the first pages of the directory, and more
than fit into a recorder built for few.
"""

import collections
import json
import os

from harness import recording, scenario, watchdog
from harness.scenario import equal

FIRST_PAGES = 1920 * 128
FEW = 48 * 128
SIZE = 40


def read(place, path):
    """Return rows that lead to ask(): of whole stacks, and of call sites
    without one."""
    outcome = watchdog.run([place.recorder.tally, "report", "--json",
                            *recording.this_image(path), path], timeout=200)
    equal(f"status, {outcome.stderr.decode()}", 0, outcome.status)
    report = json.loads(outcome.stdout)
    # 50 MB for 100,000 stacks. Recordings that take longer have a history, and
    # rows with figures of pages, which are a quarter of the bound.
    size = len(outcome.stdout) - len(json.dumps(report["history"]))
    most = 500 * len(report["sites"])
    assert size <= most, (size, most)
    ask = report["strings"].index("ask")
    asking = {number for number, frame in enumerate(report["frame_table"])
              if frame["function"] == ask}
    rows = [row for row in report["sites"]
            if report["stack_table"]["frame"][row["stack"]] in asking]
    return report["lost"], [row for row in rows if not row["truncated"]], \
        [row for row in rows if row["truncated"]]


def record(place, *arguments, **settings):
    outcome = place.recorder.run([place.victim("many_stacks"),
                                  *map(str, arguments)], timeout=200,
                                 **settings)
    equal("status", 0, outcome.status)


def amounts(rows):
    """Return the number of stacks with inherited blocks, with their own, and
    live bytes."""
    return collections.Counter((row["blocks_inherited"], row["blocks_total"],
                                row["bytes_live"]) for row in rows)


def check(place, path, expected):
    lost, whole, others = read(place, path)
    equal("stacks", expected, dict(amounts(whole)))
    equal("others", [], others)
    for name in lost:
        equal(f"lost.{name}", 0, lost[name])


def each_is_told_apart(place):
    """Test a forked child too, which inherits stacks and adds others."""
    count = FIRST_PAGES + 2000
    record(place, count, "fork")
    check(place, place.recorder.ledger(), {(0, 1, SIZE): count})
    equal("children", 1, len(place.recorder.child_files()))
    check(place, place.recorder.child_files()[0],
          {(1, 0, SIZE): count, (0, 1, SIZE): count})


def with_few(place):
    """Test with the recorder that has room for few."""
    library = os.path.join(os.path.dirname(os.path.dirname(
        place.recorder.tally)), "few", "lib", "libtally-record.so")
    return {"environment": {"TALLY_RECORDER": library}}


def past_the_end_calls_have_one(place):
    count = 3 * FEW
    record(place, count, **with_few(place))
    lost, whole, others = read(place, place.recorder.ledger())
    assert FEW // 2 < len(whole) < FEW, len(whole)
    equal("other accounts", 1, len(others))
    equal("blocks", count, sum(row["blocks_total"]
                               for row in whole + others))
    equal("bytes", count * SIZE, sum(row["bytes_live"]
                                     for row in whole + others))
    equal("counted", count - len(whole), lost["lost_stacks"])
    for name in ("lost_sites", "lost_allocations"):
        equal(name, 0, lost[name])
    text = watchdog.run([place.recorder.tally, "report", "--full",
                         place.recorder.ledger()]).stdout
    assert b"table of stacks was full" in text, text


scenario.main(each_is_told_apart, past_the_end_calls_have_one)
