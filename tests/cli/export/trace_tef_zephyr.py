# SPDX-License-Identifier: Apache-2.0
"""Zephyr events as Zephelin's converter writes them, compared event by event
with babeltrace2's of the same stream."""

import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = {"zpl_memory": "MEMORY", "zpl_cpu_load_event": "CPU_LOAD",
         "thread_info": "THREAD"}


def read_others(folder):
    """Yield (name, time in ns, fields) of each event of babeltrace2."""
    text = subprocess.run(
        ["babeltrace2", "--no-delta", "--clock-cycles", folder],
        stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in text.splitlines():
        time, name, rest = re.fullmatch(
            r"\[(\d+)\] ([a-z_]+):(.*)", line).groups()
        body = rest.rsplit("{", 1)[1] if "{" in rest else ""
        fields = re.findall(r'(\w+) = (?:\( "ZPL_(\w+)" : |"([^"]*)"|(-?\w+))',
                            body)
        yield name, int(time), {
            key: region or (word if plain == "" else int(plain, 0))
            for key, region, word, plain in fields if key != "container"}


def expected(folder):
    """Yield the events of Zephelin's converter, in a few lines."""
    others, first = list(read_others(folder)), None
    thread = next((fields["thread_id"] for name, _, fields in others
                   if name.startswith("thread_") and
                   fields["name"] == "main"), 0)
    for name, time, fields in others:
        first = time if first is None else first
        at = (time - first) / 1000
        tid = fields.get("thread_id", thread)
        if name in PLAIN:
            yield PLAIN[name], "M", at, tid, fields
            continue
        phases = [("B", at), ("E", at + 1)]
        for ending, phase in ("_enter", "B"), ("_exit", "E"):
            if name.endswith(ending):
                name = name[:-len(ending)]
                phases = [(phase, at)]
        if name == "thread_switched_in":
            thread = tid
        if name == "named_event":
            name = fields["name"]
        if name == "zpl_scope":
            name = "SCOPE::" + fields["scope_name"]
        for phase, when in phases:
            yield name, phase, when, tid, fields


def main():
    folder, tef = sys.argv[1:]
    with open(tef, encoding="utf-8") as file:
        events = json.load(file)
    spans = [e for e in events if e["name"] == "memory profile"]
    names = {e["tid"]: e["args"]["name"]
             for e in events if e["name"] == "thread_name"}
    found = [e for e in events
             if e["name"] not in ("memory profile", "thread_name",
                                  "MEMORY::SYMBOLS",
                                  "MEMORY::STATICALLY_ASSIGNED_MEM")]
    wanted = list(expected(folder))
    assert len(found) == len(wanted), (len(found), len(wanted))
    for event, (name, phase, at, tid, fields) in zip(found, wanted):
        assert (event["name"], event["ph"], event["tid"]) == \
            (name, phase, tid), (event, name, phase, tid)
        assert abs(event["ts"] - at) < 0.0011, (event, at)
        assert event.get("args", {}) == fields and ("args" in event) == bool(
            fields), (event, fields)
    print(len(spans), "ends of the whole,", sorted(names.values()))
    print(sorted(collections.Counter(e["name"] for e in found)))


main()
