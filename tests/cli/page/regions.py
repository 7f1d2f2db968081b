# SPDX-License-Identifier: Apache-2.0
"""Print a page's regions, and compare their CSV with tally diff --json.

usage: regions.py PAGE DIFF
"""

import csv
import io
import json
import sys

from page import Page

CATCH = """
URL.createObjectURL = blob => { window.kept = blob; return "data:,"; };
HTMLAnchorElement.prototype.click = () => {};
page.button("CSV").click();
kept.text().then(text => { window.rows = text; });"""
ROWS = """[...document.querySelectorAll("main tr")].map(one =>
    [...one.children].map(cell => cell.textContent))"""
PLOTS = """[...document.querySelectorAll("main section")].map(one =>
    [one.querySelector("h2").textContent,
     [...one.querySelectorAll("svg path:not(.domain)")].map(path =>
         path.getAttribute("class"))])"""


def main(path, diff_path):
    with open(diff_path, encoding="utf-8") as file:
        diff = json.load(file)
    with Page(path) as page:
        print(page.call("texts", "h1, main p"))
        for row in page.ask(ROWS):
            print(" | ".join(row))
        for title, paths in page.ask(PLOTS):
            print(f"{title}: {paths}")
        page.ask(CATCH + "0")
        page.wait("window.rows !== undefined")
        rows = list(csv.DictReader(io.StringIO(page.ask("rows"))))
        for row, pair in zip(rows, diff["regions"]):
            for side, end in (("before", "_before"), ("after", "")):
                for key in ("used", "peak"):
                    wanted = (pair[side] or {}).get(key, "")
                    if len(rows) == len(diff["regions"]):
                        assert row[key + end] == str(wanted), (row, pair)
        page.finish()


main(*sys.argv[1:])
