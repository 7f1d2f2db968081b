# SPDX-License-Identifier: Apache-2.0
"""The first screen names each problem and the call to blame, and no other."""

import os

from harness import scenario, watchdog
from harness.scenario import equal

GUILTY = {"leak": "open_session", "growth": "cache_entry", "spike": "sort_all",
          "churn": "format_line", "small": "tree_node", "slack": None,
          "untouched": None}


def screen_of(place, part):
    ledger = os.path.join(place.folder, part)
    outcome = watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger,
                            "--", place.victim("findings"), part])
    equal(f"status of {part}", 0, outcome.status)
    outcome = watchdog.run([place.recorder.tally, "report", ledger])
    equal("status", 0, outcome.status)
    lines = outcome.stdout.decode().splitlines()
    assert len(lines) <= 24, outcome.stdout
    assert max(map(len, lines)) <= 80, outcome.stdout
    return lines


def findings_of(lines):
    found = lines[lines.index("Findings") + 1:]
    return [line.split() for line in found[:found.index("")]]


def each_problem_is_named(place):
    for part, function in GUILTY.items():
        lines = screen_of(place, part)
        found = {words[0]: words[1] for words in findings_of(lines)}
        assert part in found, "\n".join(lines)
        if function is not None:
            equal(part, function, found[part])
        others = set(found) - {part, *ALSO.get(part, ())}
        equal(f"beside {part}", set(), others)


# What the same program rightly has besides.
ALSO = {"slack": ("spike",)}


def a_clean_program_has_none(place):
    found = findings_of(screen_of(place, "clean"))
    equal("findings", "none:", found[0][0])


scenario.main(each_problem_is_named, a_clean_program_has_none)
