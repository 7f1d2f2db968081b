# SPDX-License-Identifier: Apache-2.0
"""Print frames of a C++ program with a thread, with folded wrappers and
without.

usage: wrappers.py PAGE
"""

import sys

from page import Page


def walk(page, *keys):
    """Return the frame that is said after each key."""
    page.ask("document.querySelector('canvas').focus()")
    found = []
    for key, code in keys:
        page.key(key, code)
        found.append(page.call("text", "#flame-said").split(" (")[0])
    return ", ".join(found)


def main(path):
    down, right = ("ArrowDown", 40), ("ArrowRight", 39)
    with Page(path) as page:
        page.go(view="flame", only="work")
        print("threads:", walk(page, down, right))
        print("folded below:", "std::" in walk(page, *[down] * 9))
        page.go(view="flame", only="work", fold="no")
        print("unfolded:", "std::" in walk(page, *[down] * 9))
        page.finish()


main(*sys.argv[1:])
