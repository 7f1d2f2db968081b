# SPDX-License-Identifier: Apache-2.0
"""Open a page with hostile content, and print its visible text.

usage: hostile.py PAGE
"""

import sys

from page import Page


def main(path):
    with Page(path) as page:
        for view in ("overview", "table", "flame", "treemap", "sizes"):
            page.go(view=view)
            assert page.call("wide") <= 0, view
        page.go(view="table")
        print("alert:", page.call("text", "[role=alert]"))
        print("elements:", page.ask(
            "document.querySelectorAll('main img, main h1, main script')"
            ".length"), page.ask("document.title"))
        for row in page.call("table"):
            print("row:", ascii(row[0])[:60], row[1])
        page.finish()


main(*sys.argv[1:])
