# SPDX-License-Identifier: Apache-2.0
"""Compare a page with tally report --json of the same ledger.

usage: values.py PAGE REPORT
"""

import json
import sys

from page import Page

KEYS = {"leaked": "bytes_live", "peak": "peak_bytes",
        "allocated": "bytes_total", "short-lived": "temporary",
        "leaked blocks": "blocks_live", "peak blocks": "peak_blocks",
        "allocations": "blocks_total"}


def by_function(report):
    tables, sums = report["stack_table"], {}
    for row in report["sites"] + report["maps"]:
        stack = row["stack"]
        for _ in range(row["folded"]):
            stack = tables["callers"][stack]
        frame = report["frame_table"][tables["frame"][stack]]
        name = report["strings"][frame["function"]]
        own = sums.setdefault(name, dict.fromkeys(KEYS, 0))
        for title, key in KEYS.items():
            own[title] += row[key]
    return sums


def main(path, report_path):
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    wanted = by_function(report)
    with Page(path) as page:
        page.go(view="table", columns="all")
        columns = page.call("columns")
        rows = {row[0].removesuffix(" [mmap]"):
                dict(zip(columns, row[1:]))
                for row in page.call("table")}
        assert rows.keys() == wanted.keys(), (rows.keys(), wanted.keys())
        for name, own in wanted.items():
            for title, value in own.items():
                assert rows[name][title] == value, (name, title, value,
                                                    rows[name][title])
        for key, title in page.call("figures"):
            page.call("choose", key)
            said = page.call("text", ".sum").split(": ")[1].split(" ")[0]
            value = int(said.replace(",", ""))
            assert value == sum(row[title] for row in rows.values()), (
                title, value)
            if title in KEYS:
                print(f"{title}: as in the report")
        page.finish()


main(*sys.argv[1:])
