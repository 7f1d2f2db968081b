# SPDX-License-Identifier: Apache-2.0
"""Spoil a stream of all Zephyr events, byte by byte: no memory event is
decoded that was not there, and one line at most counts skipped bytes.

First each other event gets the id of a memory event, then 400 random bytes
change. An event whose own byte is spoilt may have one wrong word.
"""

import collections
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CASE_DIR"], ".."))
import make_zephyr  # noqa: E402

TALLY = os.environ["TALLY"]
EVENTS = 60
MEMORY = 0xEE


class Recorded(make_zephyr.Stream):
    """A stream with the offsets of the ids of other events."""

    def __init__(self, seed):
        super().__init__(1, seed)
        self.others = []

    def event(self, ident, payload=b""):
        if ident != MEMORY:
            self.others.append(len(self.out) + 4)
        super().event(ident, payload)


def make(seed):
    stream = Recorded(seed)
    for number in range(EVENTS):
        for _ in range(stream.random.randrange(6)):
            stream.other()
        stream.memory(number)
    return stream


def decode(trace):
    """Return memory events as words without their time, and messages."""
    done = subprocess.run([TALLY, "decode", "-"], input=trace, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = done.stdout.decode().split("\n")
    return ([tuple(line.split()[1:]) for line in lines
             if "zpl_memory_event" in line], done.stderr.decode())


def invented(wanted, found):
    """Return events that are no missing event with one wrong word."""
    extra = collections.Counter(found) - collections.Counter(wanted)
    lost = list((collections.Counter(wanted) -
                 collections.Counter(found)).elements())
    result = []
    for event in extra.elements():
        same = [other for other in lost if
                sum(a != b for a, b in zip(event[1:5], other[1:5])) +
                (event[5] != other[5]) <= 1]
        if same:
            lost.remove(same[0])
        else:
            result.append(" ".join(event))
    return result, len(wanted) - len(found)


def main():
    stream = make(6)
    trace = bytes(stream.out)
    wanted, said = decode(trace)
    assert (len(wanted), said) == (EVENTS, "")
    chances = random.Random(400)
    spoilt = [(at, MEMORY) for at in stream.others]
    spoilt += [(chances.randrange(len(trace)), chances.randrange(256))
               for _ in range(400)]
    most = 0
    for at, byte in spoilt:
        found, said = decode(trace[:at] + bytes([byte]) + trace[at + 1:])
        made, lost = invented(wanted, found)
        most = max(most, lost)
        if made:
            print(f"byte {at} as {byte:#x} makes {made}")
        if said.count("\n") > 1:
            print(f"byte {at} as {byte:#x} says {said}")
    print(len(stream.others) > 100, "at most", most, "lost")


main()
