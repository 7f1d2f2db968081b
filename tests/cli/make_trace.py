#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write a ZPL trace, byte by byte from the layouts' tables.

usage: make_trace.py [--layout=N] [--address=BYTES] [--rounds=N] [--step=NS]
                     [--grow=BYTES] OUTPUT

A round is a stack of a thread, a heap, a k_heap and a slab. Each round the use
of stack, heap and slab follows `level`; k_heap's is constant.
"""

import argparse
import struct
import sys

STACK, HEAP, K_HEAP, SLAB = range(4)


def level(number):
    """Return a sawtooth: 0, 1, 2, 3, 0, ..."""
    return number % 4


def event(layout, address_bytes, time, region, address, used, unused, thread):
    kind = {4: "I", 8: "Q"}[address_bytes]
    payload = struct.pack("<B" + kind + "III", region,
                          address % (1 << 8 * address_bytes), used, unused,
                          thread)
    if layout == 1:
        return struct.pack("<IB", time % (1 << 32), 0xEE) + payload
    if layout == 2:
        return struct.pack("<IH", time % (1 << 32), 0xEE) + payload
    if layout >= 4:
        return struct.pack("<QH", time, {4: 0x1EE, 5: 0x106}[layout]) + payload
    size = 14 + len(payload)
    return struct.pack("<HHQH", 0, 8 * size, time, 0x106) + payload


def regions(number, grow):
    up = level(number)
    more = number * grow
    return [
        (STACK, 0x20011748, 80 + 16 * up, 432 - 16 * up, 0x20010310),
        (HEAP, 0x20010048, 28 + more, 4068 - more, 0),
        (K_HEAP, 0x20010448, 12, 940, 0),
        (SLAB, 0x2001002C, 256 * up, 1024 - 256 * up, 0),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layout", type=int, default=1)
    parser.add_argument("--address", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--step", type=int, default=1000000000)
    parser.add_argument("--grow", type=int, default=0)
    parser.add_argument("output")
    options = parser.parse_args()
    trace = b"".join(
        event(options.layout, options.address, options.step * number + i,
              *fields)
        for number in range(options.rounds)
        for i, fields in enumerate(regions(number, options.grow)))
    if options.output == "-":
        sys.stdout.buffer.write(trace)
        return
    with open(options.output, "wb") as file:
        file.write(trace)


if __name__ == "__main__":
    main()
