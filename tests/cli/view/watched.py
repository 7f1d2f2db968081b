# SPDX-License-Identifier: Apache-2.0
"""A program that allocates on request, and tally view of it."""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../page"))
from page import Page  # noqa: E402

PROGRAM = """
import os, sys
kept = []
print("begun", flush=True)
for line in iter(sys.stdin.readline, ""):
    if line == "exec\\n":
        os.execv(sys.executable, [*sys.orig_argv, "again"])
    if line == "leave\\n":
        os.execve("/bin/sh", ["sh", "away.sh", os.environ.pop("LD_PRELOAD")],
                  os.environ)
    kept.append(bytearray(int(line)))
    print("done", flush=True)
"""
SUM = "Number(document.querySelector('.sum')?.textContent" \
    ".match(/: ([0-9,]+)/)?.[1].replace(/,/g, ''))"
IS_LIVE = "document.querySelector('.live button') !== null"
SAID = "document.querySelector('.live').textContent"


class Watched:
    def __init__(self, tally, *options):
        self.tally = tally
        self.record = subprocess.Popen(
            [tally, "record", "-qfo", "a.tally", "--", sys.executable,
             "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.record.stdout.readline()
        self.allocate(1000)
        self.pid = self.children(self.record.pid)[0]
        self.view = subprocess.Popen(
            [tally, "view", "--no-browser", *options, str(self.record.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.view.stdout.readline().strip()

    @staticmethod
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return [int(child) for child in file.read().split()]

    def tell(self, line):
        self.record.stdin.write(f"{line}\n")
        self.record.stdin.flush()

    def allocate(self, size):
        self.tell(size)
        self.record.stdout.readline()

    def end(self):
        self.record.stdin.close()
        self.record.wait()

    def stop(self):
        """End the server; return its output and its exit status."""
        self.view.terminate()
        return self.view.communicate()[1], self.view.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.record, self.view):
            process.kill()
            process.wait()


def live_page(program):
    page = Page(program.address)
    page.deadline += 120  # a busy machine has little for 2 % of its time
    wait(page, IS_LIVE)
    page.ask("location.hash = 'view=table'")
    return page


def wait(page, condition):
    deadline = time.monotonic() + 100
    while not page.ask(condition):
        assert time.monotonic() < deadline, (condition, page.ask(SAID))
        time.sleep(0.05)
