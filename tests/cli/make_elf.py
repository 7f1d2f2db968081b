#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write an ELF file of variables only.

usage: make_elf.py CLASS OUTPUT NAME@ADDRESS+SIZE...

CLASS is 32, 64, or 64pie. All variables lie in one data section, from the
first address to the end of the last.
"""

import struct
import sys

DATA, SYMBOLS, STRINGS = 1, 2, 3


def section(wide, name, kind, flags, address, offset, size, link, entry):
    return struct.pack("<IIQQQQIIQQ" if wide else "<IIIIIIIIII", name, kind,
                       flags, address, offset, size, link, 1, 8, entry)


def symbol(wide, name, address, size):
    if wide:
        return struct.pack("<IBBHQQ", name, 0x11, 0, DATA, address, size)
    return struct.pack("<IIIBBH", name, address, size, 0x11, 0, DATA)


def build(kind, variables):
    wide = kind != "32"
    header_size, section_size, symbol_size = (64, 64, 24) if wide else (52, 40,
                                                                        16)
    strings = b"\0"
    symbols = bytes(symbol_size)
    for name, address, size in variables:
        symbols += symbol(wide, len(strings), address, size)
        strings += name.encode(errors="surrogateescape") + b"\0"
    start = min(address for _, address, _ in variables)
    end = max(address + size for _, address, size in variables)
    at_strings = header_size + len(symbols)
    at_sections = at_strings + len(strings)
    sections = bytes(section_size)
    sections += section(wide, 0, 8, 3, start, header_size, end - start, 0, 0)
    sections += section(wide, 0, 2, 0, 0, header_size, len(symbols), STRINGS,
                        symbol_size)
    sections += section(wide, 0, 3, 0, 0, at_strings, len(strings), 0, 0)
    identity = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    header = identity + struct.pack(
        "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH",
        3 if kind == "64pie" else 2, 62 if wide else 40, 1, 0, 0, at_sections,
        0, header_size, 0, 0, section_size, 4, 0)
    return header + symbols + strings + sections


def main(arguments):
    kind, output = arguments[:2]
    variables = []
    for argument in arguments[2:]:
        name, place = argument.split("@")
        address, size = place.split("+")
        variables.append((name, int(address, 0), int(size, 0)))
    with open(output, "wb") as file:
        file.write(build(kind, variables))


if __name__ == "__main__":
    main(sys.argv[1:])
