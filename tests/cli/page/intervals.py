# SPDX-License-Identifier: Apache-2.0
"""Compare the intervals of a sampled page with tally report --json.

usage: intervals.py PAGE REPORT
"""

import json
import sys

from page import Page

KEYS = {"total-bytes": "bytes_allocated", "total-blocks": "allocations",
        "live-bytes": "leaked_bytes", "temporary": "temporary"}


UNITS = {"blocks": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def value_of(text):
    number, unit = text.split(" ")
    return float(number.replace(",", "")) * UNITS[unit]


def main(path, report_path):
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    with Page(path) as page:
        for figure, key in KEYS.items():
            page.go(view="overview", figure=figure, kind="heap")
            said = page.call("text", ".sum")
            shown = [value_of(text) for text in
                     said.split("by samples ")[1].split(" to ")]
            for end, wanted in zip(shown,
                                   report["totals"]["intervals"][key]):
                assert abs(end - wanted) <= max(wanted / 400, 1), (
                    key, said, wanted)
            print(f"{key}: {said.split('by samples ')[1]}")
        page.go(view="overview", figure="total-bytes")
        print("drawn:", page.ask("document.querySelectorAll('.range').length"))
        page.go(view="sizes")
        classes = {}
        for site in report["sites"]:
            for number, one in enumerate((site["lifetimes"] or
                                          {"freed": []})["freed"]):
                classes[number] = classes.get(number, 0) + one["blocks"]
        wanted = sorted(value for value in classes.values() if value)
        shown = page.ask("[...[...document.querySelectorAll('section')].find("
                         "one => one.textContent.startsWith('Blocks by life'))"
                         ".querySelectorAll('tr')].map(row => "
                         "[row.querySelector('th').textContent, "
                         "row.querySelector('td').textContent])")
        freed = sorted(int(text.replace(",", "")) for name, text in shown
                       if name != "not freed")
        assert freed == wanted, (freed, wanted)
        for name, text in shown:
            print(f"{name}: {text}")
        page.finish()


main(*sys.argv[1:])
