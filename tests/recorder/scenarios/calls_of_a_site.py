# SPDX-License-Identifier: Apache-2.0
"""System calls for a new call site: none, once its file is known.

Only growing tables make calls, rarely. Several calls check once that a file
can be read: at each call site, 900 of them would make 900 calls at least. A
new stack makes three calls a frame, to find and check its unwind record, and
no more.
"""

import collections
import re
import shutil

from harness import scenario
from harness.scenario import equal

SITES = 1000
NEW = 900  # call sites between the marks
FRAME_CALLS = 3


def calls_between_marks(log):
    """Return the number of system calls, by name."""
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
    # strace itself execs the program in a child.
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
