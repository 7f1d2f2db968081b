# SPDX-License-Identifier: Apache-2.0
"""Compare the intervals of a sampled page with tally report --json.

usage: intervals.py PAGE REPORT
"""

import json
import sys

from page import Page, exactly

# A figure, its unit, and its keys in the totals and in the sites of a report.
KEYS = {"total-bytes": ("bytes", "bytes_allocated", "bytes_total"),
        "total-blocks": ("blocks", "allocations", "blocks_total"),
        "live-bytes": ("bytes", "leaked_bytes", "bytes_live"),
        "temporary": ("blocks", "temporary", "temporary")}
ROWS = """[...document.querySelectorAll("main tbody tr")].map(row =>
    [row.querySelector(".call").textContent,
     row.querySelectorAll("td.number")[page.columns().indexOf(TITLE)].title])"""


def said(of, unit, key):
    return exactly(of[key], unit, (of["intervals"] or {}).get(key))


def main(path, report_path):
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    with Page(path) as page:
        # Two call sites are one row.
        apart = [site for site in report["sites"] if site["samples"] in
                 (None, 1)]
        for figure, (unit, key, site_key) in KEYS.items():
            page.go(view="table", figure=figure, kind="heap")
            title, shown = page.call("text", ".sum").split(": ")
            assert shown == said(report["totals"], unit, key), (key, shown)
            print(f"{key}: {shown}")
            rows = dict(page.ask(ROWS.replace("TITLE", json.dumps(title))))
            for site in apart:
                assert said(site, unit, site_key) in rows.values(), (rows, site)
            print("row:", rows["pool_grow"])
        for view in ("overview", "table"):
            page.go(view=view, figure="total-bytes")
            print("drawn:", page.ask(
                "document.querySelectorAll('.range').length"))
        page.go(view="treemap", figure="total-bytes")
        print("drawn:", page.ask("document.querySelectorAll('.foot').length"))
        page.go(view="flame", figure="total-bytes", only="pool_grow")
        print("flame:", page.call("text", "#flame-said"))
        page.go(view="sizes")
        assert not page.call("texts", "svg[aria-label='']")
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
        freed = sorted(int(text.split(" ")[0].replace(",", ""))
                       for name, text in shown if name != "not freed")
        assert freed == wanted, (freed, wanted)
        for name, text in shown:
            print(f"{name}: {text}")
        page.finish()


main(*sys.argv[1:])
