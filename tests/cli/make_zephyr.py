#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write Zephyr's CTF tracing of everything: ZPL's memory events, and between
them thread switches, locks, timers, named events.

usage: make_zephyr.py [--events=N] [--layout=1|2|3|4] [--seed=N] OUTPUT

Memory event number n has used = 16 * n modulo 4096. Times cover a 32-bit
clock, and so every byte in every position.
"""

import argparse
import random
import struct

THREADS = [(0x20010310, "main"), (0x20010400, "idle"),
           (0x20010500, "zpl_mem_profiling")]
REGIONS = [(0, 0x20011748, 0x20010310), (1, 0x20010048, 0),
           (2, 0x20010448, 0), (3, 0x2001002C, 0)]


def text(word, size=20):
    return word.encode().ljust(size, b"\0")


class Stream:
    def __init__(self, layout, seed):
        self.layout = layout
        self.out = bytearray()
        self.time = 0
        self.random = random.Random(seed)

    def event(self, ident, payload=b""):
        self.time += self.random.randrange(100, 1500000)
        if self.layout < 3:
            self.out += struct.pack("<IB" if self.layout == 1 else "<IH",
                                    self.time % (1 << 32), ident)
        elif self.layout == 4:
            self.out += struct.pack("<QH", self.time, ident)
        else:
            self.out += struct.pack("<HHQH", 0, 8 * (14 + len(payload)),
                                    self.time, ident)
        self.out += payload

    def memory(self, number):
        region, address, thread = REGIONS[number % 4]
        used = 16 * number % 4096
        self.event({3: 0x106, 4: 0x1EE}.get(self.layout, 0xEE),
                   struct.pack("<BIIII", region, address, used, 4096 - used,
                               thread))

    def other(self):
        chance = self.random.random()
        thread, name = self.random.choice(THREADS)
        if chance < 0.3:
            self.event(0x10, struct.pack("<I", thread) + text(name))
            thread, name = self.random.choice(THREADS)
            self.event(0x11, struct.pack("<I", thread) + text(name))
        elif chance < 0.5:
            self.event(0x24, struct.pack("<II", 0x20010000,
                                         self.random.randrange(1 << 32)))
            self.event(0x26, struct.pack("<IIi", 0x20010000, 5, -11))
        elif chance < 0.6:
            self.event(0x62, text("hello") + struct.pack("<II", 1, 2))
        elif chance < 0.75:
            self.event(0x1B)
            self.event(0x1C)
        elif chance < 0.85:
            load = struct.pack("<H", self.random.randrange(1000))
            if self.layout == 1:
                self.event(0xC0, load)
            elif self.layout == 2:
                self.event(0x2D, struct.pack("<Ii", 0x20010000, -1))
            elif self.layout == 4:
                self.event(0x106, struct.pack("<I", 0x20010000))
                self.event(0xEE, struct.pack("<I", 0x20010008))
                self.event(0x105, text("uart_init") +
                           struct.pack("<IBi", 0x1234, 2, -19))
            else:
                self.event(0x107, b"\1" + load)
        elif chance < 0.9 and self.layout == 3:
            for ident in 0x109, 0x10A:
                self.event(ident, struct.pack("<BIH", 0, thread, 8) +
                           text("filter", 8) + struct.pack("<Q", self.time))
            self.event(0x2D, struct.pack("<Ii", 0x20010000, -1))
            self.event(0x8C, struct.pack("<IIi", 0x20010000, 5, -35))
            self.event(0xFF, struct.pack("<IIi", 0x20010000, 3, 1))
        else:
            self.event(0x1E)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=3000)
    parser.add_argument("--layout", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("output")
    options = parser.parse_args()
    stream = Stream(options.layout, options.seed)
    for thread, name in THREADS:
        stream.event(0x13, struct.pack("<I", thread) + text(name))
    number = 0
    while number < options.events:
        if stream.random.random() < 0.4:
            stream.memory(number)
            number += 1
        else:
            stream.other()
    with open(options.output, "wb") as file:
        file.write(stream.out)


if __name__ == "__main__":
    main()
