# SPDX-License-Identifier: Apache-2.0
"""Print what the badge of a page says of accuracy.

usage: accuracy.py PAGE
"""

import sys

from page import Page


def main(path):
    with Page(path) as page:
        said = page.call("texts", ".trust summary")
        print(f"{path}: {said[0] if said else 'no badge'}")
        page.finish()


main(*sys.argv[1:])
