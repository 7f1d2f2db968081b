# SPDX-License-Identifier: Apache-2.0
"""Test the processes that the page of a whole recording lists, and shows.

usage: most.py TALLY
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import zlib

SCRIPT = "./hold 300000 & ./more 100000 5000000"


def processes(address, query=""):
    """Return by program the peak, whether the page shows it, and the PID."""
    with urllib.request.urlopen(f"{address}data{query}",
                                timeout=30) as answer:
        packed = answer.read()
    text = zlib.decompress(packed, wbits=31)
    head, _ = json.JSONDecoder().raw_decode(text.decode("latin-1"))
    return {process["program"].rpartition("/")[2]:
            (process["peak"], process["is_shown"], process["pid"])
            for process in head["processes"]}


def watch(tally, record):
    with subprocess.Popen([tally, "view", "--no-browser", str(record.pid)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as view:
        address = view.stdout.readline().strip()
        first = processes(address)
        record.stdin.write("\n")
        record.stdin.flush()
        now = first
        begun = time.monotonic()
        while now["more"][0] < 5_000_000 and time.monotonic() < begun + 30:
            time.sleep(0.2)
            now = processes(address)
        other = processes(address, f"?process={now['more'][2]}")
        view.send_signal(signal.SIGTERM)
        said = view.communicate(timeout=30)[1]
    return first, now, other, said


def main(tally):
    with subprocess.Popen([tally, "record", "-q", "-o", "a.tally", "sh", "-c",
                           SCRIPT], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as record:
        for _ in range(2):
            record.stdout.readline()
        try:
            *moments, said = watch(tally, record)
        finally:
            os.killpg(record.pid, signal.SIGTERM)
            record.communicate(timeout=30)
    for moment in moments:
        print({name: is_shown for name, (_, is_shown, _) in
               sorted(moment.items()) if is_shown})
    now = moments[1]
    print(now["more"][0] > now["hold"][0], said.count("the largest of"),
          len(said.splitlines()))


main(*sys.argv[1:])
