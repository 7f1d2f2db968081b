#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write a ledger of one leak whose names are hostile, and its budget.

usage: forms.py LEDGER BUDGET
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from make_ledger import HEAP, Ledger  # noqa: E402

NAME = "/x/a|b`c`<i>&\"'%0A::error::@me #1\n\x1b[31m\xff]]>,d:e"


def main(arguments):
    ledger = Ledger(program=NAME)
    module = ledger.module(NAME, 0, b"")
    root = ledger.frame(0, module, 0x1000)
    ledger.site(HEAP, module, 0x1234, (3, 5000), (0, 0), frame=root)
    with open(arguments[0], "wb") as file:
        file.write(ledger.to_bytes())
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write("rules:\n  - \"live \\\"*]]>|`<i>\\\" = 0\"\n"
                   "  - \"live \\\"*a|b*\\\" <= 1 K\"\n  - live <= 1M\n")


if __name__ == "__main__":
    main(sys.argv[1:])
