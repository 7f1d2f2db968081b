# SPDX-License-Identifier: Apache-2.0
"""Compare live bytes of threads by their labels with tally report --by=label
--json, and press the button of each.

usage: threads.py PAGE REPORT
"""

import json
import os
import sys

from page import Page, exactly

FIGURES = {"live-bytes": ("bytes", "bytes_live"),
           "total-blocks": ("blocks", "blocks_total")}
ROWS = """Object.fromEntries([...document.querySelectorAll("main tr")].map(
    row => [row.querySelector("button").textContent, row.title]))"""


def compare(page, report, figure, unit, key):
    state = {"view": "labels", "figure": figure, "kind": "heap"}
    page.go(**state)
    shown = page.ask(ROWS)
    wanted = {"".join(f"[{label}={value}]" for label, value in
                      site["labels"].items()) or "no label":
              exactly(site[key], unit, site.get("intervals", {}).get(key))
              for site in report["sites"]}
    found = {name: shown[name] for name in wanted}
    assert found == wanted, (figure, found, wanted)
    for name, title in wanted.items():
        page.go(**state)
        page.ask(f"page.button({json.dumps(name)}).click()")
        said = page.call("text", ".sum").split(": ")[1]
        assert said == title, (figure, name, said, title)
        if "samples" not in title and name != "no label":
            print(f"{name}: {title}")


def main(path, report_path):
    with Page(path) as page:
        page.go(view="labels")
        print(page.call("texts", "main h2, main p"))
        print(page.ask("document.querySelector('main td').textContent"))
        if os.path.getsize(report_path) > 0:
            with open(report_path, encoding="utf-8") as file:
                report = json.load(file)
            for figure, (unit, key) in FIGURES.items():
                compare(page, report, figure, unit, key)
        page.finish()


main(*sys.argv[1:])
