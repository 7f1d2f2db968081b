# SPDX-License-Identifier: Apache-2.0
"""Traces of real boards, in every command: the events that are in them, counted
here by the sizes of their ids, and no others.

usage: zephyr_real.py FOLDER
"""

import collections
import json
import os
import re
import struct
import subprocess
import sys

TALLY = os.environ["TALLY"]

# Payload of an id in bytes; None: a length, letters, two words.
SIZES = {0x10: 24, 0x11: 24, 0x13: 24, 0x19: 32, 0x1A: 24, 0x1B: 0, 0x1C: 0,
         0x1E: 0, 0x22: 4, 0x23: 4, 0x2E: 4, 0x2F: 12, 0x62: 28, 0xEF: None,
         0xF0: None}

# Bytes of a memory event, of its enum and address; bytes of a cut event.
TRACES = {"native32_real": (25, 4, 4, 0), "native64_real": (29, 4, 8, 0),
          "scope_real": (22, 1, 4, 11), "sync_1s_real": (22, 1, 4, 0)}


def walk(trace, size, enum, address):
    """Return the counts of ids, the memory events, and the bytes left."""
    counts, events, at = collections.Counter(), [], 0
    while at + 5 <= len(trace):
        ident = trace[at + 4]
        if ident == 0xEE:
            length = size
            region = int.from_bytes(trace[at + 5:at + 5 + enum], "little")
            place = int.from_bytes(
                trace[at + 5 + enum:at + 5 + enum + address], "little")
            events.append((region, place) + struct.unpack_from(
                "<III", trace, at + 5 + enum + address))
        elif SIZES[ident] is None:
            length = 5 + 2 + struct.unpack_from("<H", trace, at + 5)[0] + 8
        else:
            length = 5 + SIZES[ident]
        if at + length > len(trace):
            break
        counts[ident] += 1
        at += length
    return counts, events, len(trace) - at


def run(*words):
    done = subprocess.run([TALLY, *words], stdout=subprocess.PIPE, check=True,
                          stderr=subprocess.PIPE)
    return done.stdout.decode(), done.stderr.decode()


def decoded(source):
    kinds = {"stack": 0, "heap": 1, "k_heap": 2, "mem_slab": 3}
    events = [(kinds[event["region"]], event["address"], event["used"],
               event["unused"], event["thread"])
              for event in json.loads(run("decode", "--json", source)[0])]
    return events


def main():
    for name, (size, enum, address, cut) in TRACES.items():
        path = os.path.join(sys.argv[1], name + ".raw")
        with open(path, "rb") as file:
            counts, events, left = walk(file.read(), size, enum, address)
        assert left == cut, (name, left)
        assert decoded(path) == events, name
        said = run("decode", path)[1]
        assert said == ("" if cut == 0 else
                        f"tally: {path}: 1 event is cut off\n"), (name, said)
        report = json.loads(run("report", "--json", path)[0])
        regions = collections.Counter(event[:2] for event in events)
        assert sorted(region["events"] for region in report["regions"]) == \
            sorted(regions.values()), name
        run("capture", path, "-o", name + "/")
        assert decoded(name) == events, name
        others = subprocess.run(["babeltrace2", name], stdout=subprocess.PIPE,
                                check=True).stdout.decode()
        found = re.findall(r" ([a-z_0-9]+): ", others)
        assert len(found) == sum(counts.values()), (name, len(found))
        assert found.count("zpl_memory") == len(events), name
        trace = json.loads(run("export", "--to", "tef", path)[0])
        memory = [event["args"] for event in trace
                  if event["name"] == "MEMORY"]
        assert [(event["memory_addr"], event["used"], event["unused"],
                 event["for_thread_id"]) for event in memory] == \
            [event[1:] for event in events], name
        print(name, sum(counts.values()), "events,", len(events),
              "of memory,", counts[0xEF] + counts[0xF0], "of scopes,",
              len(regions), "regions")


main()
