# SPDX-License-Identifier: Apache-2.0
"""No thread writes memory that another one reads, once its stacks are
known."""

from harness import scenario
from harness.scenario import equal

SEGMENTATION = -11


def run(place, *arguments):
    return place.recorder.run([place.victim("own_lines"), *arguments])


def nothing_shared_is_written(place):
    outcome = run(place)
    equal("status", 0, outcome.status)
    equal("said", b"nothing shared was written\n", outcome.stdout)


def what_is_written_is_found(place):
    """Test a block large enough to be added to the totals at once: the victim
    notices."""
    outcome = run(place, "large")
    assert outcome.status != 0, outcome


scenario.main(nothing_shared_is_written, what_is_written_is_found)
