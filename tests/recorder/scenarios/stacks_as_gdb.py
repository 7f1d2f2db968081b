# SPDX-License-Identifier: Apache-2.0
"""Stacks of malloc calls equal gdb's, frame by frame.

In C, in C++, and in both without frame pointers.
"""

import os
import re

from harness import recording, scenario, watchdog
from harness.scenario import equal

CALLS = 6
FRAME = re.compile(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.+?) \(")


def gdb_stacks(program):
    """Return the functions that called malloc, innermost first, up to
    main()."""
    command = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    for each in ["set width 0", "break main", "run", "break malloc"] + \
            ["continue", "bt"] * CALLS:
        command += ["-ex", each]
    outcome = watchdog.run([*command, "--args", *program], timeout=120)
    stacks = []
    for line in outcome.stdout.decode().splitlines():
        frame = FRAME.match(line)
        if frame is None:
            continue
        if frame[1] == "0":
            stacks.append([])
        else:
            stacks[-1].append(recording.plain_name(frame[2]))
    if not stacks:
        raise scenario.Skip("gdb shows no stack; scripts/install-deps test: " +
                            outcome.stderr.decode()[:300])
    return [stack for stack in stacks if stack and stack[-1] == "main"]


def tally_stacks(place, program):
    """Return these functions for each row, without libc's callers of
    main()."""
    name = "-".join(map(os.path.basename, program))
    outcome = place.recorder.run(program, name=name)
    equal("status", 0, outcome.status)
    stacks = []
    for row in place.recorder.first(name).reports[0]["sites"]:
        names = [recording.plain_name(frame["function"])
                 for frame in row["stack"]]
        if "main" in names:
            stacks.append(names[:names.index("main") + 1])
    return stacks


def compare(place, name, *arguments):
    program = [place.victim(name), *arguments]
    wanted = gdb_stacks(program)
    equal("stacks that gdb shows", True, len(wanted) >= CALLS - 1)
    found = tally_stacks(place, program)
    for stack in wanted:
        assert stack in found, f"{name}: gdb shows {stack}, recorded {found}"


def in_c(place):
    compare(place, "stack_shapes", "saved")
    compare(place, "stack_shapes", "stale")


def in_cpp(place):
    compare(place, "stack_exceptions")


def without_frame_pointers(place):
    compare(place, "stack_shapes_fast", "saved")
    compare(place, "stack_shapes_fast", "longjmp")
    compare(place, "stack_exceptions_fast")


scenario.main(in_c, in_cpp, without_frame_pointers)
