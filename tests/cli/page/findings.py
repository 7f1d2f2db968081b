# SPDX-License-Identifier: Apache-2.0
"""Press the button of a finding, and compare the panel that it opens with
tally report --json.

usage: findings.py KIND PAGE REPORT
"""

import json
import sys

from page import Page

FIRST = """(() => {
  const [name, value] = [...document.querySelectorAll(".detail dt")]
    .map(one => [one.textContent, one.nextSibling.textContent])[0];
  return [name, Number(value.split(" ")[0].replace(/,/g, ""))];
})()"""


FLAG = """(() => {
  const flag = document.querySelector("svg.time .flag");
  const box = flag.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})()"""
FLAGGED = """[...document.querySelectorAll(".tip dt")].filter(one =>
    one.nextSibling.textContent === KIND).map(one => one.textContent)"""


def main(kind, path, report_path):
    with open(report_path, encoding="utf-8") as file:
        [finding] = [one for one in json.load(file)["findings"]
                     if one["kind"] == kind]
    with Page(path) as page:
        said = page.call("text", ".findings li:has([aria-label="
                         f"'Show {kind}'])")
        assert finding["text"].split(" (")[0] in said, said
        print(said.split(": ")[0])
        assert "--" not in said, said
        if page.call("text", "#time-said"):
            page.mouse("mouseMoved", *page.ask(FLAG))
            print("flag:", page.ask(FLAGGED.replace("KIND", json.dumps(kind))),
                  "shaded:", page.ask("document.querySelector('svg.time "
                                      ".grown') !== null"))
        else:
            print("flag: none, as the program was too short for data points")
        page.ask(f"document.querySelector('[aria-label=\"Show {kind}\"]')"
                 ".click()")
        title, value = page.ask(FIRST)
        print(f"{title}: {page.call('text', '.detail h2')},",
              page.ask("document.querySelector('[aria-selected=true]')"
                       ".textContent"))
        wanted = finding["blocks" if kind == "churn" else "bytes"]
        # Growth is counted from the first instant, late on a slow machine.
        least = 0.9 * wanted if kind == "growth" else wanted
        assert least <= value <= wanted, (kind, value, finding)
        page.finish()


main(*sys.argv[1:])
