# SPDX-License-Identifier: Apache-2.0
"""Samples of a program with known blocks: estimates, lifetimes.

Seeds are fixed, so that each run has the same samples. With random seeds a
correct sampler would fail less than once in 10^9 runs.
"""

import json
import math
import os

from harness import stack_tables, watchdog
from harness.scenario import equal, main, read_file

# Function: blocks, bytes of each, class of lifetime, whether it was promoted.
SITES = {"at_once": (200000, 40, 0, False), "later": (20000, 200, 4, None),
         "promoted": (2000, 1000, 9, True), "kept": (500, 3000, None, None),
         "large": (40, 100000, None, None)}
SEEDS = 40
INTERVAL = 4096


def record(place, seed, interval=INTERVAL, name="ledger"):
    """Return the rows of the five call sites, by function, and totals."""
    name = f"{name}-{interval}-{seed}"
    outcome = place.recorder.run(
        [place.victim("known_lives")],
        ["--stacks=sampled", f"--interval={interval}", f"--seed={seed}"], name)
    equal("status", 0, outcome.status)
    outcome = watchdog.run([place.recorder.tally, "report", "--json",
                            "--lifetimes", place.recorder.ledger(name)],
                           timeout=60)
    equal("status of the report", 0, outcome.status)
    report = stack_tables.loads(outcome.stdout)
    equal("interval", interval, report["sampling"]["interval"])
    return {row["stack"][1]["function"]: row for row in report["sites"]
            if row["stack"][0]["function"] == "make"}, report["totals"]


def variance(blocks, size, interval=INTERVAL):
    """Return the variance of estimated bytes for this number of blocks."""
    chance = 1 - (1 - 1 / interval) ** size
    return blocks * size * size * (1 - chance) / chance


def every_byte_a_sample_is_exact(place):
    rows, totals = record(place, 0, 1)
    equal("peak", exact_peak(place), totals["peak_bytes"])
    for name, (blocks, size, life, promoted) in SITES.items():
        row = rows[name]
        equal(f"{name}: blocks", blocks, row["blocks_total"])
        equal(f"{name}: bytes", blocks * size, row["bytes_total"])
        equal(f"{name}: live", blocks if name == "kept" else 0,
              row["blocks_live"])
        equal(f"{name}: samples", blocks, row["lifetimes"]["samples"])
        freed = row["lifetimes"]["freed"]
        if life is not None:
            least = blocks if name != "later" else blocks - 200
            assert freed[life]["blocks"] >= least, f"{name}: {freed}"
        if promoted is not None:
            equal(f"{name}: promoted", 1 if promoted else 0,
                  row["lifetimes"]["promoted"]["share"])


def holds(interval, truth):
    return interval[0] <= truth <= interval[1]


def exact_peak(place):
    outcome = place.recorder.run([place.victim("known_lives")], [], "exact")
    equal("status", 0, outcome.status)
    outcome = watchdog.run([place.recorder.tally, "report", "--json",
                            place.recorder.ledger("exact")], timeout=60)
    return json.loads(outcome.stdout)["totals"]["peak_bytes"]


def estimates_are_right_on_average(place):
    """Test that intervals hold the true value as often as they claim."""
    sums = dict.fromkeys(SITES, 0)
    hits = block_hits = peak_hits = peaks = 0
    peak = exact_peak(place)
    for seed in range(SEEDS):
        rows, totals = record(place, seed)
        peaks += totals["peak_bytes"] / peak / SEEDS
        peak_hits += holds(totals["intervals"]["peak_bytes"], peak)
        for name, (blocks, size, life, promoted) in SITES.items():
            row = rows[name]
            sums[name] += row["bytes_total"]
            hits += holds(row["intervals"]["bytes_total"], blocks * size)
            block_hits += holds(row["intervals"]["blocks_total"], blocks)
            check_lives(name, row, life, promoted)
    for name, (blocks, size, _, _) in SITES.items():
        spread = math.sqrt(variance(blocks, size) / SEEDS)
        off = abs(sums[name] / SEEDS - blocks * size)
        # 0.5 for each block whose estimate was rounded
        assert off < 6.5 * spread + 1, \
            f"{name}: off by {off}, where {spread} is to be expected"
    # 190 of 200 are expected, with a deviation of 3.
    assert hits > 165, f"{hits} of {SEEDS * len(SITES)} intervals are right"
    assert block_hits > 185, f"{block_hits} intervals of blocks are right"
    assert peak_hits >= 36, f"{peak_hits} of {SEEDS} hold the peak"
    assert 0.9 < peaks < 1.01, f"the peak is {peaks} times too high"


def check_lives(name, row, life, promoted):
    """Test that each sample has the fate of all blocks."""
    lives = row["lifetimes"]
    freed = lives["freed"]
    if life is not None and name != "later":
        equal(f"{name}: samples of class {life}", lives["samples"],
              freed[life]["samples"])
    if promoted is not None:
        equal(f"{name}: promoted", 1 if promoted else 0,
              lives["promoted"]["share"])
    if name == "kept":
        equal("kept: survived", 1, lives["survived_bytes"]["share"])
        equal("kept: live", row["bytes_total"], row["bytes_live"])
    else:
        equal(f"{name}: live", 0, row["bytes_live"])


def refused_requests_do_not_change_chances(place):
    """Test that a block after a refused one, whether that passed the countdown
    or not, is sampled as often as others."""
    blocks, size, interval, seeds = 20000, 1000, 65536, 10
    found = 0
    for seed in range(seeds):
        outcome = place.recorder.run(
            [place.victim("after_refusals")],
            ["--stacks=sampled", f"--interval={interval}", f"--seed={seed}"],
            f"refused-{seed}",
            environment={"LD_PRELOAD": place.victim("refusing_library.so")})
        equal("status", 0, outcome.status)
        found += place.recorder.first(f"refused-{seed}").column(
            "sites", "make", "bytes_total")
    spread = math.sqrt(variance(blocks, size, interval) / seeds)
    off = abs(found / seeds - blocks * size)
    assert off < 6.5 * spread, \
        f"off by {off}, where {spread} is to be expected"


def frees_of_what_was_inherited_have_an_interval(place):
    hits = 0
    for seed in range(SEEDS):
        name = f"inherited-{seed}"
        outcome = place.recorder.run(
            [place.victim("inherited_lives")],
            ["--stacks=sampled", "--interval=64K", f"--seed={seed}"], name)
        equal("status", 0, outcome.status)
        folder = place.recorder.ledger(name) + ".d"
        child, = os.listdir(folder)
        outcome = watchdog.run([place.recorder.tally, "report", "--json",
                                os.path.join(folder, child)], timeout=60)
        hits += holds(json.loads(outcome.stdout)["totals"]["intervals"]
                      ["frees"], 2000)
    assert hits >= 34, f"{hits} of {SEEDS} hold the frees"


def children_share_the_samples_that_they_inherited(place):
    hits = 0
    for seed in range(SEEDS // 2):
        name = f"many-{seed}"
        outcome = place.recorder.run(
            [place.victim("inherited_by_many")],
            ["--stacks=sampled", "--interval=128K", f"--seed={seed}"], name)
        equal("status", 0, outcome.status)
        outcome = watchdog.run([place.recorder.tally, "report", "--json",
                                "--all", place.recorder.ledger(name)],
                               timeout=60)
        totals = json.loads(outcome.stdout)["totals"]
        hits += holds(totals["intervals"]["leaked_bytes"], 9 * 2000000)
        low = totals["intervals"]["leaked_bytes"][0] / totals["leaked_bytes"]
        assert low < 0.85, f"seed {seed}: {totals}"
    assert hits >= 17, f"{hits} of {SEEDS // 2} hold the sum of nine processes"


def temporary_means_the_same_of_samples(place):
    for stacks in ("--stacks=all", "--stacks=sampled"):
        outcome = place.recorder.run(
            [place.victim("at_once")],
            [stacks, *(["--interval=1"] if "sampled" in stacks else [])],
            "at_once" + stacks)
        equal("status", 0, outcome.status)
        outcome = watchdog.run(
            [place.recorder.tally, "report", "--json",
             place.recorder.ledger("at_once" + stacks)], timeout=60)
        equal(stacks, 2001, json.loads(outcome.stdout)["totals"]["temporary"])


def seeds_and_rates_are_taken(place):
    def amounts(seed, name):
        return [row["bytes_total"] for row in
                record(place, seed, name=name)[0].values()]
    equal("one seed, twice", amounts(7, "one"), amounts(7, "two"))
    assert amounts(8, "one") != amounts(7, "three"), "seeds do not matter"


def a_trace_has_what_was_sampled(place):
    """Test that a block enters and leaves in at most 32 bytes."""
    events = place.file("events")
    outcome = place.recorder.run(
        [place.victim("known_lives")],
        ["--stacks=sampled", "--interval=1K", "--events=" + events])
    equal("status", 0, outcome.status)
    report = place.recorder.first().reports[0]
    outcome = watchdog.run([place.recorder.tally, "decode", "--json", events],
                           timeout=60)
    lines = json.loads(outcome.stdout)
    made = [line for line in lines if line["event"] == "malloc"]
    freed = [line for line in lines if line["event"] == "free"]
    equal("sampled", report["sampling"]["samples"], len(made))
    kept = sum(1 for line in made if line["size"] == 3000)
    equal("freed", len(made) - kept, len(freed))
    promoted = {line["pointer"] for line in lines
                if line["event"] == "promote"}
    lived_on = {line["result"] for line in made if line["size"] == 1000}
    equal("not promoted", set(), lived_on - promoted)
    assert {line["result"] for line in made} >= {line["pointer"]
                                                  for line in freed}
    outcome = watchdog.run([place.recorder.tally, "report", "--json", events],
                           timeout=60)
    equal("interval of the trace", 1024,
          json.loads(outcome.stdout)["trace"]["sample_interval"])
    size = os.path.getsize(os.path.join(events, "stream"))
    packets = size // 8192 + 2
    assert size <= 32 * len(made) + 4096 * packets, \
        f"{size} bytes for {len(made)} samples"
    assert "sample_interval = 0x0000000000000400;" in \
        read_file(os.path.join(events, "metadata"))


main(every_byte_a_sample_is_exact, estimates_are_right_on_average,
     refused_requests_do_not_change_chances,
     frees_of_what_was_inherited_have_an_interval,
     children_share_the_samples_that_they_inherited,
     temporary_means_the_same_of_samples, seeds_and_rates_are_taken,
     a_trace_has_what_was_sampled)
