# SPDX-License-Identifier: Apache-2.0
"""Look at a program that runs, in Chromium.

usage: live.py TALLY
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from browser import Browser  # noqa: E402

PROGRAM = """
import sys
kept = []
for line in sys.stdin:
    kept.append(bytearray(int(line)))
    print("done", flush=True)
"""
LIVE = "Number(document.querySelector('.sum')?.textContent" \
    ".match(/: ([0-9,]+)/)?.[1].replace(/,/g, ''))"
IS_LIVE = "document.querySelector('.live button') !== null"


class Watched:
    def __init__(self, tally):
        self.record = subprocess.Popen(
            [tally, "record", "-q", "-o", "a.tally", "--", sys.executable,
             "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.allocate(1000)
        self.view = subprocess.Popen(
            [tally, "view", "--no-browser", str(self.record.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.view.stdout.readline().strip()

    def allocate(self, size):
        self.record.stdin.write(f"{size}\n")
        self.record.stdin.flush()
        self.record.stdout.readline()

    def end(self):
        self.record.stdin.close()
        self.record.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.record.kill()
        self.record.wait()
        self.view.terminate()
        self.view.wait()


def wait(page, condition):
    deadline = time.monotonic() + 100
    while not page.ask(condition):
        assert time.monotonic() < deadline, condition
        time.sleep(0.05)


def main(tally):
    with Browser() as page, Watched(tally) as program:
        page.deadline += 120  # a busy machine has little for 2 % of its time
        page.open("/dev/null")
        page.do("Page.navigate", url=program.address)
        wait(page, IS_LIVE)
        page.ask("location.hash = 'view=table'")
        before = page.ask(LIVE)
        program.allocate(50_000_000)
        wait(page, f"{LIVE} >= {before + 50_000_000}")
        wait(page, "document.getElementById('tab-time') !== null")
        print("seen, in", page.ask("document.querySelector("
                                   "'[aria-selected=true]').textContent"))
        page.ask("[...document.querySelectorAll('button')].find(one => "
                 "one.textContent === 'Pause').click()")
        before = page.ask(LIVE)
        program.allocate(50_000_000)
        time.sleep(3)
        print("paused:", page.ask(LIVE) - before)
        page.ask("[...document.querySelectorAll('button')].find(one => "
                 "one.textContent === 'Go on').click()")
        program.allocate(1000)
        wait(page, f"{LIVE} >= {before + 50_000_000}")
        program.end()
        wait(page, "document.querySelector('.live').textContent"
                   ".includes('has ended')")
        print("the end is said;", page.ask(LIVE) >= before + 50_000_000)


main(*sys.argv[1:])
