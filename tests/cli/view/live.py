# SPDX-License-Identifier: Apache-2.0
"""View a running program, in two tabs.

usage: live.py TALLY
"""

import sys
import time

from watched import SAID, SUM, Watched, live_page, wait


def main(tally):
    with Watched(tally) as program, live_page(program) as page:
        first = page.session
        page.open(program.address)
        wait(page, "location.hash === '' && "
                   "document.querySelector('.live button') !== null")
        page.ask("location.hash = 'view=flame'")
        second = page.session
        before = page.ask(SUM)
        program.allocate(50_000_000)
        for tab, name in ((first, "one tab"), (second, "the other")):
            page.session = tab
            page.do("Page.bringToFront")
            wait(page, f"{SUM} >= {before + 50_000_000}")
            wait(page, "document.querySelector('#timeline .layer') !== null")
            print(f"seen in {name}, in", page.ask(
                "document.querySelector('[aria-selected=true]').textContent"))
        page.click_on("Pause")
        before = page.ask(SUM)
        program.allocate(50_000_000)
        time.sleep(3)
        print("paused:", page.ask(SUM) - before)
        page.click_on("Go on")
        program.allocate(1000)
        wait(page, f"{SUM} >= {before + 50_000_000}")
        page.ask("document.querySelector('select').focus()")
        program.allocate(50_000_000)
        wait(page, f"{SUM} >= {before + 100_000_000}")
        print("seen with the focus in a control")
        program.end()
        wait(page, f"{SAID}.includes('has ended')")
        print("the end is said;", page.ask(SUM) >= before + 100_000_000)
        page.session = first
        page.do("Page.bringToFront")
        wait(page, f"{SAID}.includes('has ended')")
        page.finish()


main(*sys.argv[1:])
