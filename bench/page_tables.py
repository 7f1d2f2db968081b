# SPDX-License-Identifier: Apache-2.0
"""What the page takes: its file, and in Chromium, by the browser's own
performance entries, how soon it is there and how long what people do takes; and
what tally view takes beside a program that runs.

An interval is chosen anew in each view. Frames of the flame graph are those of
real clicks and keys, with the picture that the canvas has then.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.parse

import history_tables
import measure
import report_tables
import tables

sys.path.insert(0, os.path.join(os.path.dirname(__file__),
                                "../tests/cli/view"))
import watched  # noqa: E402
from page import Page  # noqa: E402
from readers import Reader, READERS  # noqa: E402

INSTANTS = 256
MIB = 1 << 20
# Stacks, MB of the file, seconds until it can be used, ms of an interval.
PAGES = [(100000, 5, 2, 200), (1000000, 30, 6, None)]
FRAME_MS = 16
VIEW_SHARE, VIEW_MIB, SEEN_SECONDS = 0.02, 64, 2
VIEW_SECONDS = 60  # data of 100,000 stacks are made every 20 to 25 seconds

HEAD = ["what", "median", "range", "bound", "verdict"]
SCRIPT = """
var bench = {
  done: () => {
    const canvas = document.querySelector("main canvas");
    if (canvas !== null)
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
    document.body.getBoundingClientRect();
  },
  go: (hash, name) => {
    history.replaceState(null, "", "#" + hash);
    performance.mark("begin");
    dispatchEvent(new Event("hashchange"));
    bench.done();
    performance.measure(name, "begin");
  },
  took: name => performance.getEntriesByName(name).map(one => one.duration)
};
for (const kind of ["dblclick", "keydown", "mouseup"]) {
  addEventListener(kind, () => performance.mark("begin"), true);
  addEventListener(kind, () => {
    bench.done();
    performance.measure(kind, "begin");
  });
}
"""


class Judge:
    def __init__(self, bench, what):
        self.bench, self.what = bench, what

    def row(self, what, found, unit, bound):
        """`found` has one figure for each time."""
        middle, said = statistics.median(found), ""
        if bound is not None:
            said = tables.verdict(middle / bound, min(found) / bound, 1.0)
            self.bench.verdicts.append((f"{self.what}, {what}", said))
        tables.print_row([
            what, f"{middle:.1f} {unit}",
            f"{min(found):.1f} - {max(found):.1f}",
            "" if bound is None else f"{bound} {unit}", said])


def took(page, name):
    found = page.ask(f"bench.took({json.dumps(name)})")
    page.ask("performance.clearMeasures()")
    return found


def views(page):
    return [name.removeprefix("tab-") for name in page.ask(
        "[...document.querySelectorAll('[role=tab]')].map(one => one.id)")]


def choose_intervals(page, judge, bound):
    """In each view, which has been seen before: one is on the screen."""
    sums = []
    for view in views(page):
        page.ask(f"bench.go('view={view}', 'first')")
        found = []
        for start in (20, 60, 100, 140, 180):
            page.ask(f"bench.go('view={view}&from={start}&to={start + 60}"
                     f"&figure=growth', 'interval')")
            found += took(page, "interval")
        judge.row(f"an interval, in {view}", found, "ms", bound)
        sums.append(found)
    judge.row("an interval, in one view after the other",
              [sum(times) for times in zip(*sums)], "ms", None)


def use_flame(page, judge, bound):
    page.ask("bench.go('view=flame&figure=peak-bytes', 'first')")
    judge.row("the flame graph, for the first time", took(page, "first"),
              "ms", None)
    for part in (0.1, 0.3, 0.5, 0.7, 0.9):
        for across, down in ((part, 30), (0.3, 70), (0.5, 10)):
            left, top, width = page.ask(
                "(() => { const box = document.querySelector('main canvas')"
                ".getBoundingClientRect(); return [box.x, box.y, box.width]; "
                "})()")
            place = (left + across * width, top + down)
            page.click(*place)
            for kind in ("mousePressed", "mouseReleased"):  # a second time
                page.mouse(kind, *place, button="left", clickCount=2)
    judge.row("a frame of the flame graph, zooming",  # not where it was
              [ms for ms in took(page, "dblclick") if ms > 1], "ms", bound)
    page.ask("document.querySelector('main canvas').focus()")
    for key in ["ArrowDown", "ArrowRight"] * 8:
        page.press(key, code=key)
    judge.row("a frame of the flame graph, by keys", took(page, "keydown"),
              "ms", bound)


def measure_page(bench, tally, stacks, megabytes, seconds, interval_ms):
    ledger = os.path.join(bench.folder, "page.tally")
    path = os.path.join(bench.folder, "page.html")
    judge = Judge(bench, f"page of {stacks:,} stacks")
    measure.run([os.path.join(bench.build, "bench", "big_ledger"), ledger,
                 str(stacks), str(INSTANTS), *report_tables.files(tally)],
                {}, None, bench.folder)
    tables.print_title(f"The page of {stacks:,} stacks and {INSTANTS} "
                       "instants", HEAD)
    export = [measure.user_seconds([tally, "export", "--to", "html", "-o", path,
                                    "-f", ledger], {}, None, bench.folder)[0]]
    judge.row("tally export, user time", export, "s", None)
    judge.row("the file", [os.path.getsize(path) / 1e6], "MB", megabytes)
    os.remove(ledger)
    ready = []
    for _ in range(bench.rounds):
        with Page(path) as page:
            ready.append(page.ask("performance.getEntriesByName('tally-ready')"
                                  "[0].startTime") / 1000)
    judge.row("until it can be used", ready, "s", seconds)
    with Page(path) as page:
        page.deadline += 600
        page.ask(SCRIPT)
        choose_intervals(page, judge, interval_ms)
        use_flame(page, judge, FRAME_MS)
    os.remove(path)


def peak_mib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise measure.Failure(f"{pid} has no VmHWM")


def measure_view(bench, tally):
    """With a browser that listens, beside a program of many stacks."""
    tables.print_title("tally view beside a program that runs, a page open",
                       HEAD)
    for stacks in (1000, 10000, 100000):
        judge = Judge(bench, f"view of {stacks:,} stacks")
        record = subprocess.Popen(
            [tally, "record", "--quiet", "-o",
             os.path.join(bench.folder, "view.tally"), "--",
             os.path.join(bench.build, "bench", "history"), str(stacks), "100",
             "100", str(VIEW_SECONDS * 6)])
        time.sleep(3)
        view = subprocess.Popen([tally, "view", "--no-browser",
                                 str(record.pid)], stdout=subprocess.PIPE,
                                text=True)
        address = view.stdout.readline().strip()
        with Page(address) as page:
            page.deadline += 10 * VIEW_SECONDS
            time.sleep(VIEW_SECONDS / 2)
            used, began = history_tables.cpu_seconds(view.pid), time.monotonic()
            time.sleep(VIEW_SECONDS)
            share = (history_tables.cpu_seconds(view.pid) - used) / \
                (time.monotonic() - began)
            peak = peak_mib(view.pid)
            readers = [Reader(urllib.parse.urlsplit(address))
                       for _ in range(READERS)]
            for reader in readers:
                reader.wait(b"data:\n")
                reader.data()
            most = peak_mib(view.pid)
        for process in (view, record):
            process.terminate()
            process.wait()
        os.remove(os.path.join(bench.folder, "view.tally"))
        judge.row(f"{stacks:,} stacks: of a CPU", [share * 100], "%",
                  VIEW_SHARE * 100)
        judge.row(f"{stacks:,} stacks: memory at most", [peak], "MiB", VIEW_MIB)
        judge.row(f"{stacks:,} stacks: with {READERS} readers", [most], "MiB",
                  VIEW_MIB)


def measure_growth(bench, tally):
    """From a request for memory until the page shows it."""
    found, size = [], 10_000_000
    os.chdir(bench.folder)
    with watched.Watched(tally) as program, watched.live_page(program) as page:
        for number in range(bench.rounds + 2):
            begun = time.monotonic()
            program.allocate(size)
            watched.wait(page, f"{watched.SUM} >= {size * (number + 1)}")
            found.append(time.monotonic() - begun)
    Judge(bench, "view").row("until growth is seen", found, "s", SEEN_SECONDS)


def print_all(bench, _workloads):
    tally = os.path.join(bench.build, "bin", "tally")
    for case in PAGES:
        measure_page(bench, tally, *case)
    measure_view(bench, tally)
    measure_growth(bench, tally)
