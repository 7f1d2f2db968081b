# SPDX-License-Identifier: Apache-2.0
"""Compare a page of tally diff --html with tally diff --json.

usage: compared.py PAGE DIFF
"""

import json
import sys

from page import Page


def number(text):
    return int(text.split(" ")[-2].replace(",", ""))


def main(path, diff_path):
    with open(diff_path, encoding="utf-8") as file:
        diff = json.load(file)
    with Page(path) as page:
        said = page.call("text", ".sum")
        unit = said.split(" ")[-1]
        assert number(said) == diff["growth"][unit], (said, diff["growth"])
        print(said)
        for key, title in page.call("figures")[1:]:
            side, what = key.split("-")
            page.go(view="table", figure=key)
            assert number(page.call("text", ".sum")) == diff[side][what], key
            print(f"{title}: as in the comparison")
        page.go(view="comparison")
        shown = page.ask("[...document.querySelectorAll('main tbody tr')].map("
                         "row => row.querySelector('td').title)")
        for title in shown[:3]:
            print("changed:", title)
        page.go(view="flame", lines="yes")
        page.ask("document.querySelector('canvas').focus()")
        for _ in range(3):
            page.key("ArrowDown", 40)
            print("flame:", page.call("text", "#flame-said").split(":")[0])
        page.finish()


main(*sys.argv[1:])
