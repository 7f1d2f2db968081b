#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Export a ledger to every format and add up the figures of each.

usage: stacks_agree.py LEDGER
"""

import json
import os
import re
import subprocess
import sys
import tempfile

VALUES = ["live-bytes", "live-blocks", "peak-bytes", "peak-blocks",
          "total-bytes", "total-blocks", "temporary"]
JSON_NAMES = ["bytes_live", "blocks_live", "peak_bytes", "peak_blocks",
              "bytes_total", "blocks_total", "temporary"]
PPROF_NAMES = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]
UNITS = {"B": 1, "K": 1000, "M": 1000 ** 2, "G": 1000 ** 3}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def export(form, *rest):
    """Return totals of the heap alone, like those of the report."""
    return run("tally", "export", "--kind=heap", "--to", form, *rest)


def of_json(ledger):
    sites = json.loads(run("tally", "report", "--json", ledger))["sites"]
    return {value: sum(site[name] for site in sites)
            for value, name in zip(VALUES, JSON_NAMES)}


def of_folded(ledger):
    return {value: sum(int(line.rpartition(b" ")[2])
                       for line in export("folded", "--value", value,
                                          ledger).splitlines())
            for value in VALUES}


def of_speedscope(ledger):
    profiles = json.loads(export("speedscope", ledger))["profiles"]
    return {profile["name"]: sum(profile["weights"]) for profile in profiles
            if profile["name"] in VALUES}


def of_svg(ledger):
    def total(value):
        picture = export("svg", "--value", value, ledger).decode()
        number = re.search(r"<title>all\n([\d,]+)", picture)[1]
        return int(number.replace(",", ""))

    return {value: total(value) for value in VALUES}


def of_pprof(ledger):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "agree.pb.gz")
        export("pprof", "-o", file, ledger)
        text = run("go", "tool", "pprof", "-raw", file).decode()
    rows = [[int(number) for number in line.split(":")[0].split()]
            for line in re.search(r"\[dflt\]\n(.*)Locations", text,
                                  re.S)[1].splitlines()]
    sums = dict(zip(PPROF_NAMES, map(sum, zip(*rows))))
    return {"live-bytes": sums["inuse_space"],
            "live-blocks": sums["inuse_objects"],
            "total-bytes": sums["alloc_space"],
            "total-blocks": sums["alloc_objects"]}


def of_heaptrack(ledger):
    """Return heaptrack's totals; it rounds bytes to hundredths of their
    unit."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "agree.gz")
        export("heaptrack", "-o", file, ledger)
        text = run("heaptrack_print", "--disable-builtin-suppressions",
                   file).decode(errors="replace")

    def found(name):
        number, unit = re.search(rf"^{name}: ([\d.]+)([BKMG]?)", text,
                                 re.M).groups()
        return round(float(number) * UNITS[unit or "B"])

    return {"total-blocks": found("calls to allocation functions"),
            "temporary": found("temporary memory allocations"),
            "peak-bytes": found("peak heap memory consumption"),
            "live-bytes": found("total memory leaked")}


def main(arguments):
    expected = of_json(arguments[0])
    print(*(f"{value} {number}" for value, number in expected.items()))
    for read in (of_folded, of_speedscope, of_svg, of_pprof, of_heaptrack):
        got = read(arguments[0])
        wrong = {value: number for value, number in got.items()
                 if abs(number - expected[value])
                 > (5 + expected[value] / 200 if read is of_heaptrack
                    and value.endswith("bytes") else 0)}
        print(read.__name__, len(got), "values", wrong or "agree")


if __name__ == "__main__":
    main(sys.argv[1:])
