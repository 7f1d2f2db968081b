# SPDX-License-Identifier: Apache-2.0
"""Press the button of each label, and print the remaining rows.

usage: labels.py PAGE
"""

import json
import sys

from page import Page


def main(path):
    with Page(path) as page:
        page.go(view="labels", figure="total-bytes")
        rows = page.ask("[...document.querySelectorAll('main tr')].map(row => "
                        "[row.querySelector('button').textContent, "
                        "row.querySelector('.number').textContent])")
        for text, amount in rows:
            page.go(view="labels", figure="total-bytes")
            page.ask("[...document.querySelectorAll('main button')].find(one "
                     f"=> one.textContent === {json.dumps(text)}).click()")
            print(f"{text}: {amount}; below it {page.call('text', '.sum')}")
        page.finish()


main(*sys.argv[1:])
