# SPDX-License-Identifier: Apache-2.0
"""Spoil and cut a trace at every byte: the other events are decoded, and one
line counts skipped bytes.

Only the region of an event is compared: in layout 1 times are steps, so that a
wrong one moves all later ones. A cut leaves two events at least: 26 bytes may
be one and 4 more, or one with a longer address. If nothing but a part of a
header follows an event whose region was not seen before, it is not certain.
"""

import os
import re
import subprocess
import sys

TALLY = os.environ["TALLY"]
MAKE_TRACE = os.path.join(os.environ["CASE_DIR"], "..", "make_trace.py")
HEADS = {"1": 5, "2": 6, "3": 14, "4": 10}
SKIPPED = re.compile(r"tally: -: (skipped [\d,]+ bytes? in \d+ places?, "
                     r"the first at byte [\d,]+|"
                     r"the last (byte is|\d+ bytes are) no whole event)\n")


def decode(trace):
    done = subprocess.run([TALLY, "decode", "-"], input=trace, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = done.stdout.decode().splitlines()
    return (done.returncode, [line.split(" ", 1)[1] for line in lines],
            done.stderr.decode())


def missing(wanted, found):
    """Return the number of `wanted` that are not in `found`."""
    return sum(line not in found for line in wanted)


def main():
    for layout in HEADS:
        trace = subprocess.run(
            [sys.executable, MAKE_TRACE, "--layout=" + layout, "--grow=1",
             "--rounds=2", "-"], stdout=subprocess.PIPE, check=True).stdout
        _, events, _ = decode(trace)
        size = len(trace) // len(events)
        for i in range(len(trace)):
            spoilt = bytearray(trace)
            spoilt[i] ^= 0xFF
            status, found, errors = decode(bytes(spoilt))
            assert status == 0, (layout, i, status)
            assert missing(events, found) <= 1, (layout, i, found)
            assert errors == "" or SKIPPED.fullmatch(errors), (layout, errors)
            if i < 2 * size:
                continue
            status, found, errors = decode(trace[:i])
            whole = i // size
            if 0 < i % size < HEADS[layout] and whole <= len(events) // 2:
                whole -= 1
            assert found == events[:whole], (layout, i, found)
            assert status == 0, (layout, i, status)
            assert bool(errors) == (i % size != 0), (layout, i, errors)
        print(f"layout {layout}: {len(events)} events, {len(trace)} bytes")


main()
