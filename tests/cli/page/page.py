# SPDX-License-Identifier: Apache-2.0
"""A page in Chromium, used like a person would: of tally export --to html
without a network, or at the address of tally view.

Its requests, console messages and exceptions are kept; each is an error.
"""

import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from browser import Browser  # noqa: E402

BAD = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
SCRIPT = """
var page = {
  button: text => [...document.querySelectorAll("button")].find(
    one => one.textContent === text && one.offsetParent !== null),
  middle: element => {
    element.scrollIntoView({ block: "center" });
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  },
  choose: figure => document.querySelector(
    `[data-figure="${figure}"]`).click(),
  figures: () => [...document.querySelectorAll("[data-figure]")]
    .map(one => [one.dataset.figure, one.title.split(": ")[0]]),
  text: selector => document.querySelector(selector)?.textContent,
  texts: selector => [...document.querySelectorAll(selector)]
    .filter(one => one.offsetParent !== null).map(one => one.textContent),
  table: () => [...document.querySelectorAll("main tbody tr:has(th)")]
    .map(row => [row.querySelector("th .call")?.textContent,
      ...[...row.querySelectorAll("td.number")].map(cell =>
        Number(cell.title.replace(/ (bytes|blocks?)$/, "")
          .replace(/,/g, "")))]),
  columns: () => [...document.querySelectorAll("main thead th button")]
    .map(one => one.textContent).filter(one => one !== "function"),
  small: () => [...document.querySelectorAll("body *")].filter(one =>
    one.offsetParent !== null && one.childNodes.length > 0 &&
    Number.parseFloat(getComputedStyle(one).fontSize) < 11).length,
  wide: () => document.documentElement.scrollWidth -
    document.documentElement.clientWidth
};
"""


def amount(value, unit):
    """Return a number as the page and the report write it."""
    count = f"{round(value):,} {unit}"
    if unit == "blocks":
        return count[:-1] if abs(value) == 1 else count
    size, number = abs(value), 0
    while size >= 1024:
        size, number = size / 1024, number + 1
    text = str(round(size)) if number == 0 else f"{size:.1f}"
    return "-" * (value < 0) + text + " " + \
        ("B", "KiB", "MiB", "GiB", "TiB")[number]


def exactly(value, unit, interval=None):
    """Return an exact number, with the interval of an estimate."""
    text = f"{value:,} bytes" if unit == "bytes" else amount(value, unit)
    if interval is None or interval[1] - interval[0] < 0.5:
        return text
    return f"{text}, by samples {amount(interval[0], unit)} to " \
        f"{amount(interval[1], unit)}"


class Page(Browser):
    def __init__(self, path):
        self.bad, self.asked = [], []
        super().__init__()
        self.open(path)

    def message(self):
        message = super().message()
        if message.get("method") in BAD:
            thrown = message["params"].get("exceptionDetails", {})
            self.bad.append(thrown.get("exception", {}).get("description") or
                            json.dumps(message["params"])[:500])
        if message.get("method") == "Network.requestWillBeSent":
            self.asked.append(message["params"]["request"]["url"])
        return message

    def open(self, path):
        super().open("/dev/null")
        for domain in ("Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")
        self.address = path
        if not path.startswith("http:"):
            self.do("Network.emulateNetworkConditions", offline=True, latency=0,
                    downloadThroughput=-1, uploadThroughput=-1)
            self.address = "file://" + os.path.abspath(path)
        self.do("Page.navigate", url=self.address)
        self.wait("performance.getEntriesByName('tally-ready').length > 0 || "
                  "document.querySelector('[role=alert]') !== null")
        self.ask(SCRIPT)

    def wait(self, expression):
        while not self.ask(expression):
            self.check_time(f"waited in vain for {expression}")
            time.sleep(0.02)

    def call(self, function, *arguments):
        told = ",".join(json.dumps(argument) for argument in arguments)
        return self.ask(f"page.{function}({told})")

    def go(self, **state):
        """Open a link to a state."""
        text = "&".join(f"{key}={value}" for key, value in state.items())
        self.ask(f"location.hash = {json.dumps(text)}")
        self.wait(f"location.hash === {json.dumps('#' + text)} || true")
        self.ask("new Promise(done => setTimeout(done, 30))")

    def click_on(self, text):
        self.click(*self.ask(
            f"page.middle(page.button({json.dumps(text)}))"))

    def share(self, kind):
        """Keep the view as a file of this kind."""
        self.ask("document.querySelector('.share').open = true")
        self.click_on(kind)
        self.ask("document.querySelector('.share').open = false")

    def type(self, text):
        self.do("Input.insertText", text=text)

    def key(self, key, code=0):
        self.press(key, windowsVirtualKeyCode=code, code=key,
                   text=key if len(key) == 1 else "")

    def finish(self):
        """Check that there were no requests, messages and exceptions."""
        others = [url for url in self.asked
                  if not url.startswith(("data:", "blob:"))
                  and url.split("#")[0] not in [self.address + part for part
                                                in ("", "data", "events")]]
        assert not others, others
        assert not self.bad, self.bad
