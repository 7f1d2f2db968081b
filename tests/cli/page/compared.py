# SPDX-License-Identifier: Apache-2.0
"""Compare a page of tally diff --html with tally diff --json, and its sides
with tally report --json, if given.

usage: compared.py PAGE[#VALUE] DIFF [BEFORE AFTER]
"""

import itertools
import json
import sys

from page import Page, amount, exactly

KEYS = {("live", "bytes"): "leaked_bytes", ("live", "blocks"): "leaked_blocks",
        ("total", "bytes"): "bytes_allocated",
        ("total", "blocks"): "allocations"}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def grown(of, unit, value):
    return exactly(value, unit, of.get("intervals", {}).get(f"{unit}_growth"))


def rows(page, diff, unit):
    """Return rows of functions that have one row on both sides."""
    names = [row["function"] for row in diff["rows"]]
    wanted = {row["function"]: grown(row, unit, row[f"{unit}_growth"])
              for row in diff["rows"] if row[f"{unit}_growth"] != 0
              and names.count(row["function"]) == 1}
    shown = dict(page.ask(
        "[...document.querySelectorAll('main tbody tr')].map(row => "
        "[row.querySelector('.call').textContent, "
        "row.querySelector('td').title])"))
    found = {name: shown[name] for name in wanted if name in shown}
    assert len(found) >= min(len(wanted), 60) and all(
        found[name] == wanted[name] for name in found), (shown, wanted)
    return found


def main(path, diff_path, *report_paths):
    diff = load(diff_path)
    reports = dict(zip(("before", "after"), map(load, report_paths)))
    path, _, value = path.partition("#")
    chosen = {"value": value} if value else {}
    with Page(path) as page:
        page.go(**chosen)
        said = page.call("text", ".sum").split(": ")[1]
        unit = "blocks" if " block" in said else "bytes"
        assert said == grown(diff["growth"], unit, diff["growth"][unit]), (
            said, diff["growth"])
        print(page.call("text", ".sum"))
        for side, what in itertools.product(("before", "after"),
                                            ("bytes", "blocks")):
            key = f"{side}-{what}"
            if diff[side][what] is None:
                continue
            page.go(view="table", figure=key, **chosen)
            interval = None
            if reports:
                interval = reports[side]["totals"]["intervals"].get(
                    KEYS[diff["value"].replace("blocks", "live"), what])
            title, shown = page.call("text", ".sum").split(": ")
            if not reports:
                shown = shown.split(", by samples")[0]
            assert shown == exactly(diff[side][what], what, interval), (
                key, shown, interval)
            if what == unit:
                card = page.call("text", f"[data-figure={key}]")
                assert card == amount(diff[side][what], what), (key, card)
            print(f"{title}: as in the comparison" + (
                f", {shown.split(', ')[-1]}" if interval else ""))
        page.go(view="comparison", **chosen)
        for mark in sorted(set(page.call("texts", ".mark"))):
            print(f"{mark}:", page.call("texts", ".mark").count(mark))
        for name, title in list(rows(page, diff, unit).items())[:4]:
            print("changed:", name, title)
        page.go(view="flame", lines="yes", **chosen)
        page.ask("document.querySelector('canvas').focus()")
        for _ in range(3):
            page.key("ArrowDown", 40)
            print("flame:", page.call("text", "#flame-said").split(":")[0])
        print("colours:", page.call("texts", "footer li"))
        page.finish()


main(*sys.argv[1:])
