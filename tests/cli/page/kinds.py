# SPDX-License-Identifier: Apache-2.0
"""Choose each kind of memory, and print the remaining rows.

usage: kinds.py PAGE
"""

import sys

from page import Page


def main(path):
    with Page(path) as page:
        kinds = page.ask("[...document.querySelector("
                         "'select[aria-label=Memory]').options]"
                         ".map(one => one.value)")
        for kind in kinds:
            page.go(view="table", figure="live-bytes", kind=kind)
            names = sorted(row[0] for row in page.call("table"))
            print(f"{kind}: {page.call('text', '.sum')}; {', '.join(names)}")
        colors = page.ask("[...document.querySelectorAll('footer li')].map("
                          "one => [one.textContent.trim(), getComputedStyle("
                          "one.firstChild).backgroundColor])")
        for name, _ in colors:
            print("colour:", name)
        assert len({color for _, color in colors}) == len(colors), colors
        page.go(view="labels")
        print("threads:", page.call("texts", "main tr td"))
        page.finish()


main(*sys.argv[1:])
