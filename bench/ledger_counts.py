# SPDX-License-Identifier: Apache-2.0
"""How much of a ledger is in use, as docs/ledger-format.md lays it out."""

import struct

HEADER_BYTES = 4096
ENTRY = struct.Struct("<IIQQQ")  # of the directory
SITE_BYTES, COUNTER_BYTES, SITES = 64, 32, 128  # of a segment
SEGMENT_SITES, SEGMENT_FRAMES = 1, 7
HEAP = 1  # a site's kind
FRAME_OFFSET, CUT = 52, 0xffffffff
NOTHING = bytes(COUNTER_BYTES)


def segments(data, wanted):
    _, capacity, used = struct.unpack_from("<III", data, 32)
    for index in range(min(capacity, used)):
        kind, _, offset, size, _ = ENTRY.unpack_from(
            data, HEADER_BYTES + index * ENTRY.size)
        if kind == wanted:
            yield offset, size


def count(path):
    """(stacks of the heap, pairs of a stack and a shard that was touched,
    allocations of which only the call is known)"""
    with open(path, "rb") as file:
        data = file.read()
    stacks = touched = cut = 0
    for offset, size in segments(data, SEGMENT_SITES):
        first = offset + SITES * SITE_BYTES
        for site in range(SITES):
            at = offset + site * SITE_BYTES
            if struct.unpack_from("<I", data, at)[0] != HEAP:
                continue
            stacks += 1
            used = [counter for counter in (
                data[at:at + COUNTER_BYTES] for at in range(
                    first + site * COUNTER_BYTES, offset + size,
                    SITES * COUNTER_BYTES)) if counter != NOTHING]
            touched += len(used)
            if struct.unpack_from("<I", data, at + FRAME_OFFSET)[0] == CUT:
                cut += sum(struct.unpack_from("<Q", counter)[0]
                           for counter in used)
    return stacks, touched, cut
