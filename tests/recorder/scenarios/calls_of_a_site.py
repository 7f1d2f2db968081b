# SPDX-License-Identifier: Apache-2.0
"""What a new call site asks of the kernel: nothing, once its file is known.

Only tables that grow ask, which is seldom. Whether a file is there to be read
is asked once, by several calls: were it asked at each site, 900 sites would
make 900 calls at least. A whole stack asks three times a frame, where its
unwind record is and whether it is there, and no more.
"""

import collections
import re
import shutil

from harness import scenario
from harness.scenario import equal

SITES = 1000
NEW = 900  # of them between the marks
FRAME_CALLS = 3


def calls_between_marks(log):
    """By name, how often."""
    text = scenario.read_file(log)
    _, between, _ = re.split(r"^\d+ +getsid\(-1\).*\n", text, flags=re.M)
    return collections.Counter(re.findall(r"^\d+ +(\w+)\(", between, re.M))


def record(place, stacks):
    if shutil.which("strace") is None:
        raise scenario.Skip("no strace; scripts/install-deps test")
    log = place.file("log")
    outcome = place.recorder.run(
        [shutil.which("strace"), "-f", "-qq", "-o", log,
         place.victim("new_sites")], [f"--stacks={stacks}"], name=stacks)
    equal("status", 0, outcome.status)
    # The program is what strace became, by exec in a child.
    rows = [row for report in place.recorder.children(stacks).reports
            for row in report["sites"]
            if row["stack"][0]["function"] == "main" and
            row["blocks_total"] == 1]
    equal("rows", SITES, len(rows))
    calls = calls_between_marks(log)
    asked = FRAME_CALLS * (len(rows[0]["stack"]) - 1)
    scenario.at_most(f"calls of the kernel for {NEW} sites: {dict(calls)}",
                     NEW * asked + NEW // 10, sum(calls.values()))


def callers(place):
    record(place, "caller")


def whole_stacks(place):
    record(place, "all")


scenario.main(callers, whole_stacks)
