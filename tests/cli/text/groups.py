#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sums of modules and folders, by an independent reader.

usage: groups.py BEFORE AFTER
"""

import re
import subprocess
import sys
from collections import Counter

from harness import stack_tables

ROW = re.compile(r"^ *(-?\d+) +(\d+) (\S+):\d+ (?:\[(\S+)\] )?func:(\S+)")


def read(name, key):
    size, calls = Counter(), Counter()
    for line in list(open(name, encoding="utf-8"))[2:]:
        bytes_, blocks, file, module, _ = ROW.match(line).groups()
        size[key(file, module)] += int(bytes_)
        calls[key(file, module)] += int(blocks)
    return size, calls


def folder(depth):
    def key(file, _):
        names = file.split("/")[:-1]
        return "/".join(names[:depth]) + "/", "*"
    return key


def by_module(_, module):
    return module or "built-in", module


def tally(*arguments):
    return stack_tables.loads(subprocess.run(
        ["tally", *arguments], check=True, stdout=subprocess.PIPE).stdout)


def main():
    before, after = sys.argv[1:]
    for by, key in (("folder", folder(2)), ("folder:1", folder(1)),
                    ("folder:9", folder(9)), ("module", by_module)):
        old, new = read(before, key), read(after, key)
        told = tally("report", "--json", f"--sum={by}", after)
        assert {(site["stack"][0]["file"], site["stack"][0]["module"]):
                (site["bytes_live"], site["blocks_live"])
                for site in told["sites"]} == {
            group: (new[0][group], new[1][group]) for group in new[0]}
        told = tally("diff", "--json", f"--sum={by}", before, after)
        assert {(row["file"], row["module"]):
                (row["bytes_growth"], row["blocks_growth"])
                for row in told["rows"]} == {
            group: (new[0][group] - old[0][group],
                    new[1][group] - old[1][group])
            for group in set(old[0]) | set(new[0])}
        assert told["growth"]["bytes"] == (sum(new[0].values()) -
                                           sum(old[0].values()))
        print(f"{by}: {len(new[0])} groups agree")


if __name__ == "__main__":
    main()
