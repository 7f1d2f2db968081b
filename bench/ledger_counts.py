# SPDX-License-Identifier: Apache-2.0
"""How much of a ledger is in use, as docs/ledger-format.md lays it out."""

import struct

HEADER_BYTES = 4096
ENTRY = struct.Struct("<IIQQQ")  # of the directory
SITE_BYTES, COUNTER_BYTES, SITES = 64, 32, 128  # of a segment
SEGMENT_SITES, SEGMENT_FRAMES = 1, 7
HEAP = 1  # a site's kind
NOTHING = bytes(COUNTER_BYTES)


def segments(data, wanted):
    _, capacity, used = struct.unpack_from("<III", data, 32)
    for index in range(min(capacity, used)):
        kind, _, offset, size, _ = ENTRY.unpack_from(
            data, HEADER_BYTES + index * ENTRY.size)
        if kind == wanted:
            yield offset, size


def count(path):
    """(stacks of the heap, pairs of a stack and a shard that was touched)"""
    with open(path, "rb") as file:
        data = file.read()
    stacks = touched = 0
    for offset, size in segments(data, SEGMENT_SITES):
        kinds = [struct.unpack_from("<I", data, offset + site * SITE_BYTES)[0]
                 for site in range(SITES)]
        stacks += kinds.count(HEAP)
        first = offset + SITES * SITE_BYTES
        touched += sum(data[at:at + COUNTER_BYTES] != NOTHING
                       for at in range(first, offset + size, COUNTER_BYTES))
    return stacks, touched
