# SPDX-License-Identifier: Apache-2.0
"""Compare the panel of each function, and the search, with tally report --json.

usage: detail.py PAGE REPORT
"""

import json
import os
import sys
import urllib.parse

from page import Page

FACTS = """Object.fromEntries([...document.querySelectorAll(".detail dt")].map(
    one => [one.textContent, one.nextSibling.textContent]))"""
BARS = """[...document.querySelectorAll(".detail tr")].map(row =>
    [row.querySelector("button").textContent, row.title])"""
FILL = """[...document.querySelectorAll("svg.treemap rect")].find(one =>
    (one.textContent || "").startsWith(NAME))?.getAttribute("fill")"""


class Amounts:
    """Sums of the peak by function, of each site's stack."""

    def __init__(self, report):
        self.total, self.own, self.blocks, self.edges = {}, {}, {}, {}
        tables = report["stack_table"]
        for row in report["sites"] + report["maps"]:
            stack, names, at = row["stack"], [], row["folded"]
            while stack is not None and stack >= 0:
                frame = report["frame_table"][tables["frame"][stack]]
                names.append(report["strings"][frame["function"]])
                stack = tables["callers"][stack]
            self.add(self.own, names[at], row["peak_bytes"])
            for name in set(names):
                self.add(self.total, name, row["peak_bytes"])
                self.add(self.blocks, name, row["peak_blocks"])
            for pair in set(zip(names, names[1:])):
                self.add(self.edges, pair, row["peak_bytes"])

    @staticmethod
    def add(sums, key, value):
        sums[key] = sums.get(key, 0) + value


def check(page, amounts, name):
    page.go(view="flame", figure="peak-bytes", pick=urllib.parse.quote(name))
    facts = page.ask(FACTS)
    assert page.call("text", ".detail h2") == name
    for title, sums in (("peak with callees", amounts.total),
                        ("self", amounts.own), ("blocks", amounts.blocks)):
        value = int(facts[title].split(" ")[0].replace(",", ""))
        assert value == sums.get(name, 0), (name, title, facts, sums)
    for other, title in page.ask(BARS):
        pairs = [(name, other), (other, name)]
        value = int(title.split(" ")[0].replace(",", ""))
        assert value in [amounts.edges.get(pair) for pair in pairs], (
            name, other, title)


def main(path, report_path):
    with open(report_path, encoding="utf-8") as file:
        amounts = Amounts(json.load(file))
    with Page(path) as page:
        for name in ("main", "north", "south"):
            check(page, amounts, name)
            print(f"{name}: as in the report;",
                  *page.call("texts", ".detail h3"), page.ask(BARS)[0][0])
        page.click_on("Exclude")
        print("chips:", page.call("texts", ".chip"))
        page.click_on("exclude south \u00d7")
        print("chips:", page.call("texts", ".chip"))
        page.ask("document.querySelector('#find').focus()")
        page.type("NORTH")
        whole = sum(amounts.own.values())
        print("hits:", page.call("text", ".hits") ==
              f"1 function, {100 * amounts.total['north'] / whole:.1f} %")
        page.key("Enter", 13)
        print("next:", page.call("text", ".detail h2"))
        page.ask("document.querySelector('#find').value = ''")
        page.type("/^(n|s)o.*h$/")
        print("hits:", page.call("text", ".hits").split(",")[0])
        for tab in "Table", "Treemap":
            page.click_on(tab)
            page.ask("document.querySelector('#find').focus()")
            for _ in range(2):
                page.key("Enter", 13)
                print(f"{tab}, next:", page.call("text", ".detail h2"))
        page.click_on("Include")
        print("chips:", page.call("texts", ".chip"))
        page.go(view="table", figure="peak-bytes", only="north%0Asouth")
        print("include both:", page.call("texts", ".chip"),
              page.call("text", ".sum"))
        page.ask("document.querySelector('.chip').click()")
        print("one less:", page.call("texts", ".chip"),
              page.call("text", ".sum"))
        page.go(view="table", figure="peak-bytes", without="north%0Asouth")
        print("exclude both:", [row[0] for row in page.call("table")])
        page.go(view="table", figure="peak-bytes", pick="south")
        print("in place:", page.call("texts", ".wide .frames li"))
        page.go(view="treemap", figure="total-bytes")
        colors = {page.ask(FILL.replace("NAME", json.dumps(name)))
                  for name in ("north (", "south (")}
        layers = set(page.ask("[...document.querySelectorAll('svg.time .layer"
                              "')].map(one => one.getAttribute('fill'))"))
        print("colours of both, also in the timeline:", len(colors),
              colors <= layers)
        page.go(view="flame")
        left, top = page.ask("(box => [box.x, box.y])(document.querySelector("
                             "'canvas').getBoundingClientRect())")
        page.mouse("mouseMoved", left + 30, top + 30)
        place, *names = page.call("texts", ".tip dt")
        print("at the pointer:", os.path.basename(place), names,
              page.call("texts", ".tip dd")[-1])
        page.finish()


main(*sys.argv[1:])
