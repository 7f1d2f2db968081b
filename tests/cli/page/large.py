# SPDX-License-Identifier: Apache-2.0
"""Print what a page of more functions than a timeline tells apart shows.

usage: large.py PAGE
"""

import sys

from page import Page


def main(path):
    with Page(path) as page:
        page.go(view="overview")
        print(page.call("text", "[role=alert]"))
        print(page.ask("document.querySelectorAll('#timeline .layer').length"),
              "layers")
        page.finish()


main(*sys.argv[1:])
