# SPDX-License-Identifier: Apache-2.0
"""The first screen names each problem of examples/leaky_server by line."""

import os
import re

from harness import scenario, watchdog
from harness.scenario import equal

SOURCE = os.path.join(os.path.dirname(__file__),
                      "../../../examples/leaky_server/server.c")


def marked_lines():
    """Return the line of each problem, by the finding's word after it."""
    lines = scenario.read_file(SOURCE).splitlines()
    return {found[1]: number for number, line in enumerate(lines, 1)
            if (found := re.search(r"; +/\* (\w+) \*/$", line))}


def findings(place, *arguments):
    ledger = place.file("ledger")
    outcome = watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger,
                            "--force", "--", place.victim("leaky_server"),
                            *arguments])
    equal("status", 0, outcome.status)
    outcome = watchdog.run([place.recorder.tally, "report", ledger],
                           environment={"COLUMNS": "80"})
    equal("status", 0, outcome.status)
    lines = outcome.stdout.decode().splitlines()
    assert len(lines) <= 24, outcome.stdout.decode()
    assert max(map(len, lines)) <= 80, outcome.stdout.decode()
    lines = lines[lines.index("Findings") + 1:]
    return lines[:lines.index("")]


def each_problem_is_named(place):
    expected = marked_lines()
    equal("problems", 8, len(expected))
    wanted = {word: f"(server.c:{line})" for word, line in expected.items()}
    found = {}
    for _ in range(10):  # on a busy machine a recording may miss some
        named = {line.split()[0]: (re.findall(r"\(server\.c:\d+\)", line)
                                   or [None])[0] for line in findings(place)}
        found = named | found
        if len(found) >= len(wanted):
            break
    equal("findings", wanted, found)


def without_them_there_is_none(place):
    [line] = findings(place, "clean")
    assert line.startswith("  none:"), line


scenario.main(each_problem_is_named, without_them_there_is_none)
