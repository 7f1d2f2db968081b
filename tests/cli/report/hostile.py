#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write ledgers that demand more work or memory than their content is worth.

usage: hostile.py FILE repeated|notices|sparse

The first two are 1.1 MB whose full directory names one segment of sites or of
notices again and again; the third is 4 GiB of which 64 KiB are stored.
"""

import struct
import sys

PAGE, FIRST, MORE = 4096, 65536, 32768
SITES, TEXT, NOTICES, DIRECTORY = 1, 3, 4, 11


def entry(kind, index, offset, size):
    return struct.pack("<IIQQQ", kind, index, offset, size, 0)


def header(used_bytes, entries):
    text = struct.pack("<QII", 0, 0, 0)
    return (b"TALLYLGR" + struct.pack("<HHIQ", 1, 5, 0x01020304, used_bytes)
            + struct.pack("<II", 0, 0)
            + struct.pack("<IIIIII", 1, 1920, entries, 1, 1, 1)
            + struct.pack("<IIQQIIQ", 1, 1, 1, 0, 0, 1, 1) + text + text)


def full_directory(kind):
    """Return a directory of 34,688 entries, of which all but three name the
    same segment."""
    text = FIRST + MORE * 32
    slots = text + PAGE
    size = 128 * 64 + PAGE if kind == SITES else 128 * 32
    size += -size % PAGE
    entries = [entry(TEXT, 0, text, PAGE)]
    for index in range(1, 1920 + MORE):
        entries.append(entry(kind, index if kind == SITES else index % 1920,
                             slots, size))
    entries[1919] = entry(DIRECTORY, 0, FIRST, MORE * 32)
    content = bytearray(slots + size)
    content[:128] = header(len(content), 1920 + MORE)[:128]
    content[PAGE:FIRST] = b"".join(entries[:1920])
    content[FIRST:text] = b"".join(entries[1920:])
    for i in range(PAGE):
        content[text + i] = 120
    for slot in range(128):
        at = slots + slot * (64 if kind == SITES else 32)
        if kind == SITES:
            struct.pack_into("<IIQQQQII", content, at, 1, 0, 0x1000 + slot, 0,
                             0, text, 4000, 0)
        else:
            struct.pack_into("<IIQII", content, at, 1, 1, text, 4000 - slot, 0)
    return content


def main():
    path, what = sys.argv[1:]
    with open(path, "wb") as file:
        if what == "sparse":
            size = 1 << 32
            content = bytearray(FIRST)
            content[:128] = header(size, 1)[:128]
            content[PAGE:PAGE + 32] = entry(99, 0, FIRST, PAGE)
            file.write(content)
            file.truncate(size)
        else:
            file.write(full_directory(SITES if what == "repeated"
                                      else NOTICES))


main()
