# SPDX-License-Identifier: Apache-2.0
"""A process overwrites the memory in which all others of its session are
recorded: they run as alone, and their recording can be read."""

import os
import shutil

from harness import watchdog
from harness.scenario import equal, main

SEEDS = "1", "2"
SAMPLED = ["--stacks=sampled", "--interval=4096"]


def can_be_read(place):
    """Test that each ledger is reported, or refused in one line."""
    for path in [place.recorder.ledger(), *place.recorder.child_files()]:
        outcome = watchdog.run([place.recorder.tally, "report", "--json",
                                path], timeout=120)
        assert outcome.status in (0, 2), outcome
        if outcome.status == 2:
            equal("lines of a refusal", 1, outcome.stderr.count(b"\n"))


def record(place, options, seeds=SEEDS):
    for seed in seeds:
        program = [place.victim("scribbled"), seed]
        plain = watchdog.run(program)
        recorded = place.recorder.run(
            program, ["--force", "--wait=first", *options], timeout=200)
        equal(f"{options}, seed {seed}", (0, plain.stdout, False),
              (recorded.status, recorded.stdout, recorded.hung))
        can_be_read(place)
        shutil.rmtree(place.recorder.ledger() + ".d", ignore_errors=True)


def whole_stacks(place):
    record(place, [])


def calls_alone(place):
    record(place, ["--stacks=caller"])


def samples(place):
    record(place, SAMPLED)


def samples_with_a_budget(place):
    record(place, ["--stacks=sampled", "--overhead=1%"])


def events(place):
    record(place, ["--events=" + place.file("events")])


def last_events_with_their_stacks(place):
    os.mkdir(place.file("kept"))
    record(place, [*SAMPLED, "--blackbox=4M", "--keep=" + place.file("kept")])


def more_ledgers_than_there_can_be(place):
    record(place, ["--stacks=caller"], ["0"])


main(whole_stacks, calls_alone, samples, samples_with_a_budget, events,
     last_events_with_their_stacks, more_ledgers_than_there_can_be)
