# SPDX-License-Identifier: Apache-2.0
"""Print the processes that a page lists, the largest first, without values that
differ between runs.

usage: processes.py PAGE
"""

import re
import sys

from page import Page


def main(path):
    with Page(path) as page:
        page.go(view="overview")
        print(page.call("text", ".processes summary"))
        for name, *sizes, shown in page.ask(
                "[...document.querySelectorAll('.processes tbody tr')].map("
                "one => [...one.children].map(cell => cell.textContent))"):
            print(re.sub(r" \d+$", "", name) if name.startswith("phases")
                  else "its shell", *(sizes if "phases" in name else []), shown)
        page.finish()


main(*sys.argv[1:])
