#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write a ledger of a program's stacks, without running it.

usage: shifted.py LEDGER PROGRAM BYTES...

parse() calls grab() from each of its lines in turn with BYTES, and grab()
calls malloc().
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from make_ledger import HEAP, Ledger  # noqa: E402


def calls_in(program, function):
    """Return the return addresses of calls in a function, in their order."""
    lines = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}",
         program], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    code = [line for line in lines if re.match(r" +[0-9a-f]+:", line)]
    return [int(after.split(":")[0], 16)
            for line, after in zip(code, code[1:]) if "\tcall" in line]


def main(arguments):
    output, program = arguments[:2]
    build_id = subprocess.run(["readelf", "-n", program], check=True,
                              capture_output=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", build_id)
    path = os.path.realpath(program)
    ledger = Ledger(program=path)
    module = ledger.module(path, 0,
                           bytes.fromhex(found[1]) if found else b"")
    root = ledger.frame(0, module, calls_in(program, "main")[0])
    malloc = calls_in(program, "grab")[0]
    for size, call in zip(arguments[2:], calls_in(program, "parse")):
        ledger.site(HEAP, module, malloc, (1, int(size)), (0, 0),
                    frame=ledger.frame(root, module, call))
    with open(output, "wb") as file:
        file.write(ledger.to_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
