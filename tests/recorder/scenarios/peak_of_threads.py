# SPDX-License-Identifier: Apache-2.0
"""Threads that follow one another have one peak, to the byte. Where they take
turns it is as near as the report says."""

import os

from harness import scenario
from harness.scenario import at_most, equal


def peak_of(place, how, seed, *options):
    """What the program had at most, and what the ledger says, without the
    blocks that the C library keeps."""
    outcome = place.recorder.run([place.victim("peak_of_threads"), how,
                                  str(seed)], options)
    equal("status", 0, outcome.status)
    totals = place.recorder.report(place.recorder.ledger())["totals"]
    os.unlink(place.recorder.ledger())
    return (int(outcome.stdout), totals["peak_bytes"] - totals["leaked_bytes"],
            totals["peak_uncertainty"], totals["peak_copied"])


def is_mostly_known(how, seed, peak, uncertainty, known):
    at_most(f"{how}, seed {seed}: of this who held it is known",
            known, int(peak * 0.98) - uncertainty)


def one_after_another(how, seeds, *options):
    def step(place):
        for seed in seeds:
            peak, found, *known = peak_of(place, how, seed, *options)
            equal(f"peak with seed {seed}", peak, found)
            is_mostly_known(how, seed, peak, *known)
    step.__name__ = "_".join((how, *options))
    return step


def in_turn(how, seeds):
    def step(place):
        for seed in seeds:
            peak, found, uncertainty, known = peak_of(place, how, seed)
            at_most(f"seed {seed}, {found} for {peak} bytes", uncertainty,
                    abs(found - peak))
            is_mostly_known(how, seed, peak, uncertainty, known)
    step.__name__ = how
    return step


scenario.main(one_after_another("one_by_one", [1]),
              one_after_another("heirs", range(1, 21)),
              one_after_another("heirs", range(21, 24), "--stacks=caller"),
              in_turn("pool", range(1, 11)), in_turn("crowd", range(1, 11)),
              in_turn("order", range(1, 11)))
