# SPDX-License-Identifier: Apache-2.0
"""Print the text of views of a page, without PIDs and times.

usage: sources.py PAGE [VIEW...]
"""

import re
import sys

from page import Browser, Page


def say(*parts):
    print(re.sub(r"\d+ ms|[\d.]+ s\b|[\d.]+ KiB|\b\d{3,}\b", "N",
                 " | ".join(parts)))


def main(path, *views):
    if not views:
        with Browser() as browser:
            browser.open(path)
            print(browser.ask("document.body.innerText"))
        return
    with Page(path) as page:
        for view in views:
            page.go(view=view)
            say(view, page.call("text", ".ran").rsplit(", ", 1)[0],
                *page.call("texts", "h2"))
            say(*[text for what in ("dt", "main section li", "svg.time .tick",
                                    ".said")
                  for text in page.call("texts", what)
                  if not (what == "svg.time .tick" and text.endswith("s"))])
        page.finish()


main(*sys.argv[1:])
