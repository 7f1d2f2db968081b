# SPDX-License-Identifier: Apache-2.0
"""Test a program that is killed, or execs another, while a page shows it.

usage: ends.py TALLY
"""

import os
import shlex
import signal
import sys

from watched import PROGRAM, SAID, SUM, Watched, live_page, wait


def say_end(program, page):
    wait(page, f"{SAID}.includes('has ended')")
    page.finish()
    said, status = program.stop()
    print(said.replace(str(program.record.pid), "PID"), end="")
    print("status", status)


def main(tally):
    with Watched(tally) as program, live_page(program) as page:
        before = page.ask(SUM)
        program.allocate(3_000_000)
        wait(page, f"{SUM} >= {before + 3_000_000}")
        os.kill(program.pid, signal.SIGKILL)
        say_end(program, page)
    with Watched(tally) as program, live_page(program) as page:
        program.allocate(50_000_000)
        wait(page, f"{SUM} >= 50000000")
        program.tell("exec")
        program.record.stdout.readline()
        wait(page, f"{SUM} < 50000000")
        print("after exec:", page.call("text", "h1").split(" ")[-1])
        before = page.ask(SUM)
        program.allocate(70_000_000)
        wait(page, f"{SUM} >= {before + 70_000_000}")
        with open("away.sh", "w", encoding="utf-8") as file:
            file.write("read -r line\nLD_PRELOAD=$1 exec "
                       f"{shlex.join([sys.executable, '-c', PROGRAM])}\n")
        program.tell("leave")
        wait(page, f"{SAID}.includes('not recorded')")
        print("not recorded, and the page stays:", page.ask(SUM) >= 70_000_000)
        program.allocate("again")
        program.allocate(1_000_000)
        wait(page, f"{SAID}.includes('live') && {SUM} < 50000000")
        print("recorded again")
        program.tell("leave")
        wait(page, f"{SAID}.includes('not recorded')")
        os.kill(program.pid, signal.SIGKILL)
        say_end(program, page)


main(*sys.argv[1:])
