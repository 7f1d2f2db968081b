# SPDX-License-Identifier: Apache-2.0
"""`make demo` fits one screen and names each problem of its server, by
line."""

import os
import re
import sys

from harness import scenario, watchdog
from harness.scenario import equal

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SOURCE = os.path.join(ROOT, "examples/demo/shop.cpp")


def marked_lines():
    """Return the place of each problem, by the finding's word after its
    line."""
    lines = scenario.read_file(SOURCE).splitlines()
    return {found[1]: f"(shop.cpp:{number})"
            for number, line in enumerate(lines, 1)
            if (found := re.search(r" // (\w+)$", line))}


def each_problem_is_named(_):
    expected = marked_lines()
    equal("problems", 5, len(expected))
    for _ in range(3):  # a busy machine may leave no time to look at pages
        outcome = watchdog.run([os.path.join(ROOT, "scripts/demo"),
                                sys.argv[1]])
        equal("status", 0, outcome.status)
        lines = outcome.stdout.decode().splitlines()
        assert len(lines) <= 40, outcome.stdout.decode()
        findings = lines[lines.index("Findings") + 1:]
        found = {line.split()[0]: (re.findall(r"\(shop\.cpp:\d+\)", line)
                                   or [None])[0]
                 for line in findings[:findings.index("")]}
        if found == expected:
            break
    equal("findings", expected, found)


scenario.main(each_problem_is_named)
