# SPDX-License-Identifier: Apache-2.0
"""docs/hazards.md names each test of recorded and linked programs, no other."""

import fnmatch
import os
import re

from harness import scenario, watchdog
from harness.scenario import equal

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../../docs/hazards.md")


def listed(place):
    build = os.path.dirname(os.path.dirname(place.recorder.tally))
    folder = place.file("ctest")  # -N writes a log, too: not over the run's
    os.mkdir(folder)
    with open(os.path.join(folder, "CTestTestfile.cmake"), "w",
              encoding="utf-8") as file:
        file.write(f'subdirs("{build}")\n')
    outcome = watchdog.run(["ctest", "--test-dir", folder, "-N"])
    tests = set(re.findall(r"Test +#\d+: (\S+)", outcome.stdout.decode()))
    assert len(tests) > 50, f"ctest lists {len(tests)} tests"
    kinds = "|".join({test.split(".")[0] for test in tests})
    patterns = set(re.findall(rf"`((?:{kinds})\.[^`]+)`",
                              scenario.read_file(PAGE)))
    equal("named, but not there", set(),
          {pattern for pattern in patterns
           if not fnmatch.filter(tests, pattern)})
    equal("there, but not named", set(),
          {test for test in tests if test.startswith(("recorder.", "linked."))
           and not any(fnmatch.fnmatchcase(test, pattern)
                      for pattern in patterns)})


scenario.main(listed)
