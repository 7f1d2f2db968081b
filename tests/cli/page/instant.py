# SPDX-License-Identifier: Apache-2.0
"""Print a page's data over time, and compare its last data point with the
report.

usage: instant.py PAGE REPORT
"""

import json
import sys

from page import Page

CATCH = """
window.kept = null;
URL.createObjectURL = blob => { window.kept = blob; return "data:,"; };
HTMLAnchorElement.prototype.click = () => {};
"""


def main(path, report_path):
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    with Page(path) as page:
        print(page.call("text", ".ran").split(", ")[-2])
        page.go(kind="heap")
        page.ask(CATCH + "0")
        page.share("Timeline as CSV")
        page.wait("window.kept !== null")
        page.ask("window.text = null; window.kept.text().then("
                 "text => { window.text = text; }); 0")
        page.wait("window.text !== null")
        rows = [line.split(",") for line in page.ask("window.text")
                .splitlines()]
        for row in rows:
            print(" ".join(row))
        last = sum(int(value) for value in rows[-1][1:-2])
        page.go(view="table", figure="live-bytes", kind="heap")
        live = int(page.call("text", ".sum").split(" ")[-2].replace(",", ""))
        assert last == live == report["totals"]["leaked_bytes"], (
            last, live, report["totals"]["leaked_bytes"])
        page.finish()


main(*sys.argv[1:])
