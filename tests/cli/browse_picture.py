# SPDX-License-Identifier: Apache-2.0
"""Look at a flame graph in Chromium.

usage: browse_picture.py PICTURE FRAME

Rest the pointer on FRAME and print its tooltip and outline. Open windows of
other widths and print the size of the picture. Print its colours in light
and in dark windows.
"""

import sys

from browser import Browser

SCRIPT = """
var looking = {
  frame: function (name) {
    var box = [...document.querySelectorAll("g.frame")].find(
      one => one.textContent.startsWith(name + "\\n")).querySelector("rect")
      .getBoundingClientRect();
    return [box.x + 8, box.y + box.height / 2];
  },
  under: function (x, y) {
    var frame = document.elementFromPoint(x, y).parentNode;
    return frame.querySelector("title").textContent + "\\n" +
      getComputedStyle(frame.querySelector("rect")).stroke;
  },
  size: function () {
    var width = document.documentElement.getBoundingClientRect().width;
    window.scrollTo(width, 0);
    return [width, window.scrollX + window.innerWidth];
  },
  colors: function () {
    return ["#paper", "text", "g.frame text"].map(
      one => getComputedStyle(document.querySelector(one)).fill);
  },
  too_wide: function () {
    return [...document.querySelectorAll("g.frame")].filter(function (frame) {
      var text = frame.querySelector("text");
      return text !== null && text.getBBox().width >
        frame.querySelector("rect").width.baseVal.value;
    }).length;
  },
  outside: function () {
    var paper = document.getElementById("paper").getBBox();
    return [...document.querySelectorAll("text,rect")].filter(function (one) {
      var box = one.getBBox();
      return box.width > 0 && (box.x < 0 || box.y < 0 ||
        box.x + box.width > paper.width || box.y + box.height > paper.height);
    }).length;
  }
};
"""


class Picture:
    def __init__(self, browser, path):
        self.browser = browser
        browser.open(path)
        browser.ask(SCRIPT)

    def call(self, function, *arguments):
        told = ",".join(repr(argument) for argument in arguments)
        return self.browser.ask(f"looking.{function}({told})")


def look(picture, frame):
    place = picture.call("frame", frame)
    picture.browser.mouse("mouseMoved", *place)
    said = picture.call("under", *place).split("\n")
    print("the pointer rests on:", *said, sep="\n  ")
    print("labels wider than their frames:", picture.call("too_wide"))
    print("outside of the paper:", picture.call("outside"))


def resize(picture):
    for width in 360, 1000, 2560:
        picture.browser.do("Emulation.setDeviceMetricsOverride", width=width,
                           height=800, deviceScaleFactor=1, mobile=False)
        while picture.browser.ask("window.innerWidth") != width:
            picture.browser.check_time(f"has no window of {width} pixels")
        wide, end = picture.call("size")
        print(f"a window of {width} pixels: {wide} wide, seen up to {end}")
    for scheme in "light", "dark":
        picture.browser.do("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        print(f"{scheme}:", *picture.call("colors"))


def main():
    path, frame = sys.argv[1:]
    with Browser() as browser:
        picture = Picture(browser, path)
        look(picture, frame)
        resize(picture)


main()
