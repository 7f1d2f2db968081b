# SPDX-License-Identifier: Apache-2.0
"""Answer three questions by clicks alone, and print how many each took.

usage: tasks.py leak|growth PAGE
"""

import sys

from page import Page


class Hand:
    """A person who counts clicks; a drag is one."""

    def __init__(self, page):
        self.page, self.clicks = page, 0

    def click(self, text):
        self.page.click_on(text)
        self.clicks += 1

    def drag(self, start, end):
        left, top, width = self.page.ask(
            "(() => { const box = document.querySelector('svg.time .overlay')"
            ".getBoundingClientRect(); return [box.x, box.y + 40, box.width];"
            "})()")
        places = [left + width * part for part in (start, end)]
        self.page.mouse("mouseMoved", places[0], top)
        self.page.mouse("mousePressed", places[0], top, button="left",
                        clickCount=1)
        self.page.mouse("mouseMoved", places[1], top, button="left")
        self.page.mouse("mouseReleased", places[1], top, button="left",
                        clickCount=1)
        self.clicks += 1


def find_leak(page):
    said = page.call("text", ".findings li")
    print("leaks, 0 clicks:", said.split(":")[0],
          said.split(", ")[-1].removesuffix("Show"))
    print("holds the peak, 0 clicks:", page.call("text", "main .bars .call"))


def find_growth(page):
    hand = Hand(page)
    hand.drag(0.1, 0.5)
    hand.click("Compare")
    print(f"grew in a range, {hand.clicks} clicks:",
          page.call("text", "main tbody .call"))
    assert page.call("texts", ".chip"), "no chip clears the range"


def main(kind, path):
    with Page(path) as page:
        {"leak": find_leak, "growth": find_growth}[kind](page)
        page.finish()


main(*sys.argv[1:])
