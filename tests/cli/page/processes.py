# SPDX-License-Identifier: Apache-2.0
"""Print the processes that a page lists, without values that differ between
runs.

usage: processes.py PAGE
"""

import re
import sys

from page import Page


def main(path):
    with Page(path) as page:
        page.go(view="overview")
        for text, margin in page.ask(
                "[...[...document.querySelectorAll('section')].find(one => "
                "one.firstChild.textContent === 'Processes')"
                ".querySelectorAll('li')].map(one => [one.textContent, "
                "one.style.marginLeft])"):
            name = re.sub(r"^\d+ ", "", text)
            print(margin, name if name.startswith("phases")
                  else "its shell")
        page.finish()


main(*sys.argv[1:])
