# SPDX-License-Identifier: Apache-2.0
"""A budget of overhead, in a program with known blocks: estimates hold while
the interval changes, in bursts, in a crowd of threads and in a child.

The choice of samples depends on the machine's speed. A correct sampler fails
this less than once in 10^6 runs.
"""

import glob
import json
import struct

from harness import stack_tables, watchdog
from harness.attached_program import Program
from harness.scenario import equal, main

# Function: blocks, bytes of each.
SITES = {"calm": (2000, 1000), "burst": (400000, 500), "crowd": (60000, 2000),
         "kept": (3000, 4000), "child": (50000, 300)}
RUNS = 6
LEDGER = struct.Struct("<IIQQ")  # the budget's words, at byte 280


def rows(place, ledger):
    outcome = watchdog.run([place.recorder.tally, "report", "--json", ledger],
                           timeout=60)
    equal("status of the report", 0, outcome.status)
    report = stack_tables.loads(outcome.stdout)
    return report, {row["stack"][1]["function"]: row
                    for row in report["sites"]
                    if row["stack"][0]["function"] == "make"}


def volumes(ledger):
    """Return (bytes by interval, all bytes) of a file."""
    with open(ledger, "rb") as file:
        header = file.read(4096)
    budget = LEDGER.unpack_from(header, 280)[0]
    equal("budget", 50000, budget)
    by_interval = struct.unpack_from("<40Q", header, 1600)
    equal("intervals that cannot be", 0,
          sum(by_interval[:14]) + sum(by_interval[35:]))
    return by_interval, struct.unpack_from("<Q", header, 184)[0]


def estimates_hold(place):
    hits = {"bytes_total": 0, "blocks_total": 0}
    sums = dict.fromkeys(SITES, 0)
    widths = dict.fromkeys(SITES, 0)
    for number in range(RUNS):
        name = f"run-{number}"
        outcome = place.recorder.run(
            [place.victim("bursts")],
            ["--overhead=5%", f"--seed={number}"], name)
        equal("status", 0, outcome.status)
        ledger = place.recorder.ledger(name)
        found = {}
        for file in [ledger, *glob.glob(ledger + ".d/*")]:
            report, of_file = rows(place, file)
            # The child inherits the rows of its parent.
            found = {**of_file, **found}
            by_interval, volume = volumes(file)
            equal("bytes by interval", volume, sum(by_interval))
            budget = report["sampling"]["budget"]
            equal("share", 0.05, budget["share"])
            assert budget["cost_ns"] <= budget["capacity_ns"]
        for function, (blocks, size) in SITES.items():
            row = found.get(function)
            if row is None:  # no sample met it
                widths[function] += blocks * size
                continue
            truth = {"bytes_total": blocks * size, "blocks_total": blocks}
            sums[function] += row["bytes_total"]
            low, high = row["intervals"]["bytes_total"]
            widths[function] += high - low
            for key in hits:
                low, high = row["intervals"][key]
                hits[key] += low <= truth[key] <= high
    # Each about 95 % of 30.
    for key, count in hits.items():
        assert count >= RUNS * len(SITES) * 0.7, f"{count} hold of {key}"
    for function, (blocks, size) in SITES.items():
        off = abs(sums[function] / RUNS - blocks * size)
        assert off <= widths[function] / RUNS, \
            f"{function}: off by {off} on average"


def a_program_that_runs_has_one_too(place):
    with Program(place) as program:
        file = place.file("a")
        attaching = program.attach(file, "--overhead=5%")
        program.do("a" * 200)
        program.detach(attaching)
        report, _ = rows(place, file)
        equal("share", 0.05, report["sampling"]["budget"]["share"])
        assert report["sampling"]["samples"] > 0, json.dumps(report["totals"])
        program.end()


main(estimates_hold, a_program_that_runs_has_one_too)
