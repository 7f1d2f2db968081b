#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write the commands of docs/ci.md, each block to a file of its own.

usage: ci.py CI.md FOLDER

Blocks are those of `run: |` (github.N), of `- |` (gitlab.N), and of ```sh
(shell.N).
"""

import os
import re
import sys


def blocks_of(text, opening):
    """Yield each block of lines indented deeper than its opening line."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.strip() != opening:
            continue
        depth = len(line) - len(line.lstrip())
        block = []
        for later in lines[number + 1:]:
            if later.strip() and len(later) - len(later.lstrip()) <= depth:
                break
            block.append(later)
        yield "\n".join(block) + "\n"


def main(arguments):
    with open(arguments[0], encoding="utf-8") as file:
        fences = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(),
                            re.M | re.S)
    whole = "".join(text for kind, text in fences if kind == "yaml")
    found = {
        "github": blocks_of(whole, "run: |"),
        "gitlab": blocks_of(whole, "- |"),
        "shell": (text for kind, text in fences if kind == "sh"),
        "budget": (text for kind, text in fences
                   if text.startswith("budgets:")),
    }
    for name, blocks in found.items():
        for number, block in enumerate(blocks, 1):
            path = os.path.join(arguments[1], f"{name}.{number}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(block)


if __name__ == "__main__":
    main(sys.argv[1:])
