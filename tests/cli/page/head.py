# SPDX-License-Identifier: Apache-2.0
"""Compare the head of a page with tally report --json, by kind of source.

Both are made from the same facets: what both say is equal.
"""

import base64
import json
import os
import re
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.realpath(__file__ + "/../.."))
import make_ledger  # noqa: E402

OF_ALL = {"process", "findings", "not_judged", "coverage", "sizes",
          "resident", "notices", "timeline", "accuracy"}
CALLS = "#m:0x1000;0x600d-50\n#r:0x2000;0x6011-0x1000;80\n#m:0x0;0x600d-9\n"


def tally(*arguments):
    return subprocess.run(["tally", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout


def head_of(page):
    text = re.search(b'id="data">([^<]*)<', page)[1]
    packed = base64.b64decode(text, validate=True)
    data = zlib.decompressobj(31).decompress(packed)
    return json.JSONDecoder().raw_decode(data.decode("utf-8", "replace"))[0]


def main():
    for name, scenario in make_ledger.SCENARIOS.items():
        with open(name, "wb") as file:
            file.write(scenario().to_bytes())
    os.mkdir("children.d")
    os.rename("other", "children")
    os.rename("forked", "children.d/4300-0")
    with open("calls", "w", encoding="ascii") as file:
        file.write(CALLS)
    with open("profiles", "w", encoding="ascii") as file:
        file.write(make_ledger.STACK_LINES)
    os.symlink(os.path.realpath(
        __file__ + "/../../data/linux-7.3.4-boot.txt"), "kernel")
    for name in sorted(os.listdir()):
        if os.path.isdir(name):
            continue
        head = head_of(tally("export", "--to=html", name))
        report = json.loads(tally("report", "--json", name))
        both = (head.keys() & report.keys()) - {"version"}
        print(f"{name}: missing {sorted(OF_ALL - both)}, different",
              sorted(key for key in both if head[key] != report[key]))


main()
