# SPDX-License-Identifier: Apache-2.0
"""Check a trace for Zephelin's viewer, field by field, and count its events.

usage: tef_schema.py FILE
"""

import json
import sys
from collections import Counter

MEMORY = {"memory_region": str, "memory_addr": int, "used": int,
          "unused": int, "for_thread_id": int}
REGIONS = {"STACK", "HEAP", "K_HEAP", "MEM_SLAB"}
ORDER = ["name", "cat", "ph", "ts", "pid", "tid", "args"]


def check_memory(args):
    assert list(args) == list(MEMORY), args
    for name, kind in MEMORY.items():
        assert type(args[name]) is kind, args
    assert args["memory_region"] in REGIONS, args
    assert args["for_thread_id"] == 0 or args["memory_region"] == "STACK", args


def check_thread_name(args):
    assert list(args) == ["name"] and type(args["name"]) is str, args


def check_symbols(args):
    for address, name in args.items():
        assert str(int(address)) == address and type(name) is str, args


def check_static(args):
    assert type(args) is int and args >= 0, args


def check_span(args):
    assert args == {}, args


CHECKS = {
    ("MEMORY", "M"): check_memory,
    ("thread_name", "M"): check_thread_name,
    ("MEMORY::SYMBOLS", "M"): check_symbols,
    ("MEMORY::STATICALLY_ASSIGNED_MEM", "M"): check_static,
    ("memory profile", "B"): check_span,
    ("memory profile", "E"): check_span,
}


def check(event):
    has_time = event["name"] != "thread_name"
    assert list(event) == [key for key in ORDER if has_time or key != "ts"]
    assert event["cat"] == "zephyr" and event["pid"] == 0, event
    assert type(event["tid"]) is int, event
    if has_time:
        assert type(event["ts"]) in (int, float) and event["ts"] >= 0, event
    CHECKS[event["name"], event["ph"]](event["args"])


def main(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    for event in events:
        check(event)
    times = [event["ts"] for event in events if event["name"] == "MEMORY"]
    assert times == sorted(times) and times[0] == 0
    spans = [event["ts"] for event in events if event["ph"] in "BE"]
    assert spans[0] == 0 and spans[1] >= times[-1] and spans[1] > 0
    for (name, phase), count in sorted(
            Counter((event["name"], event["ph"]) for event in events).items()):
        print(phase, name, count)


main(sys.argv[1])
