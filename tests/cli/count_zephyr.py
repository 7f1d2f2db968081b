#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Print the number of events of each kind from make_zephyr.py, by their sizes.

usage: count_zephyr.py LAYOUT FILE
"""

import collections
import sys

SIZES = {0x10: ("thread_switched_out", 24), 0x11: ("thread_switched_in", 24),
         0x13: ("thread_create", 24), 0x1B: ("isr_enter", 0),
         0x1C: ("isr_exit", 0), 0x1E: ("idle", 0),
         0x24: ("semaphore_take_enter", 8), 0x26: ("semaphore_take_exit", 12),
         0x2D: ("mutex_unlock_exit", 8), 0x62: ("named_event", 28),
         0x8C: ("msgq_put_exit", 12), 0xC0: ("zpl_cpu_load_event", 2),
         0xEE: ("zpl_memory", 17), 0xFF: ("event_wait_exit", 12),
         0x106: ("zpl_memory", 17),
         0x107: ("zpl_cpu_load_event", 3), 0x109: ("zpl_scope_enter", 23),
         0x10A: ("zpl_scope_exit", 23)}
OF_ZEPHYR_4_5 = {0xEE: ("mbox_init", 4), 0x105: ("sys_init_exit", 29),
                 0x106: ("queue_init", 4), 0x1EE: ("zpl_memory", 17)}


def main():
    layout = int(sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        stream = file.read()
    head, width = {1: (5, 1), 2: (6, 2), 3: (14, 2), 4: (10, 2)}[layout]
    sizes = SIZES | (OF_ZEPHYR_4_5 if layout == 4 else {})
    counts = collections.Counter()
    at = 0
    while at < len(stream):
        ident = int.from_bytes(stream[at + head - width:at + head], "little")
        name, size = sizes[ident]
        counts[name] += 1
        at += head + size
    for name in sorted(counts):
        print(name, counts[name])


main()
