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
        for number, _ in enumerate(page.call("table")):
            page.go(view="table")
            page.ask(f"document.querySelectorAll('main .call')[{number}]"
                     ".click()")
            for key in ("", "Exclude", "Include"):
                if key:
                    page.click_on(key)
                assert page.call("wide") <= 0, (number, key)
                assert page.call("text", ".detail h2") is not None, number
                page.ask("document.querySelector('.chip')?.click()")
        print("panel:", page.ask("[...document.querySelectorAll("
                                 "'.detail img, .detail script')].length"))
        page.finish()


main(*sys.argv[1:])
