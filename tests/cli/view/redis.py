# SPDX-License-Identifier: Apache-2.0
"""redis-server under a benchmark: a time selection in its live page equals
tally diff of snapshots at its ends.

usage: redis.py TALLY
"""

import gzip
import json
import os
import subprocess
import sys
import time
import urllib.request

from watched import IS_LIVE, SUM, Page, wait


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


class Redis:
    def __init__(self, tally):
        self.tally, self.socket = tally, os.path.abspath("socket")
        self.record = subprocess.Popen(
            [tally, "record", "-qo", "a.tally", "--", "redis-server", "--port",
             "0", "--unixsocket", self.socket, "--save", ""],
            stdout=subprocess.DEVNULL)
        while not os.path.exists(self.socket):
            time.sleep(0.05)
        self.pid = run("pgrep", "-x", "-P", str(self.record.pid),
                       "redis-server").strip()
        self.view = subprocess.Popen([tally, "view", "--no-browser", self.pid],
                                     stdout=subprocess.PIPE, text=True)
        self.address = self.view.stdout.readline().strip()

    def work(self):
        run("redis-benchmark", "-s", self.socket, "-n", "20000", "-r",
            "100000", "-d", "100", "-t", "set", "-q")

    def rest(self, name):
        """Take a snapshot when nothing changes any more; return a later
        time."""
        for _ in range(60):
            for path in ("last.tally", name):
                run(self.tally, "snapshot", "-qfo", path, self.pid)
                time.sleep(0.7)
            if not self.compare("last.tally", name):
                return time.time_ns()
        raise SystemExit("redis-server does not come to rest")

    def compare(self, before, after):
        """Return growth by function."""
        rows = json.loads(run(self.tally, "diff", "--json", before, after))
        grown = {}
        for row in rows["rows"]:
            grown[row["function"]] = grown.get(row["function"], 0) + \
                row["bytes_growth"]
        return {name: size for name, size in grown.items() if size != 0}

    def times(self):
        """Return data points as offsets from the page's start."""
        with urllib.request.urlopen(f"{self.address}data") as answer:
            head = json.loads(gzip.decompress(answer.read()).split(b"\n")[0])
        return head["instants"], head["process"]["start_ns"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.view, self.record):
            process.terminate()
            process.wait()


def wait_for_instant(redis, begin):
    while redis.times()[0][-1] <= begin:
        time.sleep(0.2)


def open_paused(page, redis):
    """Return the times of the page's data points."""
    while True:
        times = redis.times()
        page.open(redis.address)
        page.click_on("Pause")
        if redis.times() == times:
            page.go(view="flame")
            return times


def brush(page, times, first, last):
    """Drag from the last data point before `first`."""
    instants, start = times
    box = page.ask("(() => { const box = document.querySelector('svg.time "
                   ".overlay').getBoundingClientRect(); return [box.x, box.y, "
                   "box.width]; })()")
    shown = instants[-1] - start
    ends = [max(at for at in instants if at <= first),
            min(at for at in instants if at >= last)]
    places = [box[0] + (at - start) / shown * box[2] for at in ends]
    page.mouse("mouseMoved", places[0], box[1] + 80)
    page.mouse("mousePressed", places[0], box[1] + 80, button="left",
               clickCount=1)
    page.mouse("mouseMoved", places[1], box[1] + 80, button="left")
    page.mouse("mouseReleased", places[1], box[1] + 80, button="left",
               clickCount=1)


def grown(page):
    """Return the table's figures by function."""
    page.go(**{**page.ask("Object.fromEntries(new URLSearchParams("
                          "location.hash.slice(1)))"), "view": "table"})
    column = page.call("columns").index("growth") + 1
    while page.call("button", "more rows") is not None:
        page.click_on("more rows")
    rows = page.call("table")
    return {row[0].removesuffix(" [mmap]"): row[column] for row in rows
            if row[column] != 0}


def main(tally):
    with Redis(tally) as redis, Page(redis.address) as page:
        page.deadline += 150
        wait(page, IS_LIVE)
        first = redis.rest("before.tally")
        wait_for_instant(redis, first)
        before = page.ask(SUM)
        redis.work()
        wait(page, f"{SUM} > {before + 1_000_000}")
        print("growth is seen")
        last = redis.rest("after.tally")
        wait_for_instant(redis, last)
        brush(page, open_paused(page, redis), first, last)
        found = grown(page)
        wanted = redis.compare("before.tally", "after.tally")
        assert found == wanted, (found, wanted)
        assert sum(wanted.values()) > 1_000_000, wanted
        print("the interval is the difference:", len(wanted) > 4)
        page.finish()


main(*sys.argv[1:])
