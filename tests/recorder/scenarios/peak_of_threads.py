# SPDX-License-Identifier: Apache-2.0
"""Threads that run one after the other have one exact peak. For threads that
take turns the report's interval holds."""

import os

from harness import scenario
from harness.scenario import at_most, equal


def peaks_of(place, how, seed, *options):
    """Return the program's peak with and without mappings, and the ledger's,
    without the blocks that the C library keeps."""
    outcome = place.recorder.run([place.victim("peak_of_threads"),
                                  how.split()[0], str(seed),
                                  *how.split()[1:]],
                                 options)
    equal("status", 0, outcome.status)
    totals = place.recorder.report(place.recorder.ledger())["totals"]
    os.unlink(place.recorder.ledger())
    return ([int(word) for word in outcome.stdout.split()],
            [totals[name] - totals["leaked_bytes"]
             for name in ("peak_with_maps", "peak_bytes")],
            totals["peak_uncertainty"], totals["peak_copied"])


def is_mostly_known(how, seed, peak, uncertainty, known):
    at_most(f"{how}, seed {seed}: of this who held it is known",
            known, int(peak * 0.98) - uncertainty)


def one_after_another(how, seeds, *options):
    def step(place):
        for seed in seeds:
            peaks, found, *known = peaks_of(place, how, seed, *options)
            equal(f"peaks with seed {seed}", peaks, found)
            is_mostly_known(how, seed, peaks[1], *known)
    step.__name__ = "_".join((how, *options))
    return step


def in_turn(how, seeds):
    def step(place):
        for seed in seeds:
            peaks, found, uncertainty, known = peaks_of(place, how, seed)
            for peak, said in zip(peaks, found):
                at_most(f"seed {seed}, {said} for {peak} bytes", uncertainty,
                        abs(said - peak))
            is_mostly_known(how, seed, peaks[1], uncertainty, known)
    step.__name__ = how
    return step


scenario.main(one_after_another("one_by_one", [1]),
              one_after_another("heirs", range(1, 15)),
              one_after_another("heirs", range(15, 18), "--stacks=caller"),
              one_after_another("heirs maps", range(18, 22)),
              in_turn("pool", range(1, 8)), in_turn("crowd", range(1, 8)),
              in_turn("order", range(1, 8)), in_turn("pool maps", range(9, 12)),
              in_turn("crowd maps", range(9, 12)))
