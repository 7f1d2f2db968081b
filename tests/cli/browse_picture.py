# SPDX-License-Identifier: Apache-2.0
"""Look at a flame graph in Chromium as somebody with a mouse does.

usage: browse_picture.py PICTURE FRAME MEASURE TEXT [SCREENSHOT]

Rests the pointer on FRAME, clicks on it, goes back in both ways, weighs the
picture by MEASURE (- of a comparison, which has none), searches for TEXT by the
button and by Control-F, and prints what is to be seen each time. Then it looks
at it in windows of other widths, and in the dark.
"""

import sys

from browser import Browser

SCRIPT = """
var looking = {
  frames: function () {
    return [...document.querySelectorAll("g.frame")].map(function (frame) {
      var rect = frame.querySelector("rect");
      return [frame.querySelector("title").textContent.split("\\n")[0],
        rect.x.baseVal.value.toFixed(2), rect.width.baseVal.value.toFixed(2),
        getComputedStyle(rect).fill === "rgb(216, 88, 216)" ? " *" : ""];
    });
  },
  sum: function () {
    return [...document.getElementById("sum").children].map(
      line => line.textContent).join(" ");
  },
  middle: function (element) {
    var box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  },
  frame: function (name) {
    return looking.middle([...document.querySelectorAll("g.frame")].find(
      one => one.textContent.startsWith(name + "\\n")).querySelector("rect"));
  },
  button: function (name) {
    return looking.middle([...document.querySelectorAll("text.button")].find(
      one => one.textContent === name));
  },
  under: function (x, y) {
    var frame = document.elementFromPoint(x, y).parentNode;
    return frame.querySelector("title").textContent + "\\n" +
      getComputedStyle(frame.querySelector("rect")).stroke;
  },
  width: function () { return document.documentElement.viewBox.baseVal.width; },
  colors: function () {
    return ["#paper", "#sum", "g.frame text", "text.button"].map(
      one => getComputedStyle(document.querySelector(one)).fill);
  },
  too_wide: function () {
    return [...document.querySelectorAll("g.frame")].filter(function (frame) {
      return frame.querySelector("text").getBBox().width >
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

    def show(self, what):
        print(f"{what}: {self.call('sum')}")
        for name, x, width, mark in self.call("frames"):
            print(f"  {name} {x} {width}{mark}")

    def click_frame(self, name):
        self.browser.click(*self.call("frame", name))

    def click_button(self, name):
        self.browser.click(*self.call("button", name))


def look(picture, frame, measure, text):
    first = picture.call("frames")
    picture.show("at first")
    place = picture.call("frame", frame)
    picture.browser.mouse("mouseMoved", *place)
    said = picture.call("under", *place).split("\n")
    print("the pointer rests on:", *said, sep="\n  ")
    print("labels wider than their frames:", picture.call("too_wide"))
    print("outside of the paper:", picture.call("outside"))

    picture.click_frame(frame)
    picture.show(f"a click on {frame}")
    picture.click_button("[reset]")
    print("as before after [reset]:", picture.call("frames") == first)
    picture.click_frame(frame)
    picture.browser.press("Escape")
    print("as before after Escape:", picture.call("frames") == first)

    if measure != "-":
        picture.click_button(measure)
        picture.show(f"weighed by {measure}")
    picture.browser.prompts.append(text)
    picture.click_button("[search]")
    picture.show(f"searched for {text}")
    picture.browser.prompts.append("nothing has (this name")
    picture.browser.press("f", code="KeyF", modifiers=2)
    print("searched by Control-F:", picture.call("sum"))


def resize(picture):
    for width in 360, 1000, 2560:
        picture.browser.do("Emulation.setDeviceMetricsOverride", width=width,
                           height=800, deviceScaleFactor=1, mobile=False)
        while picture.call("width") != width:
            picture.browser.check_time(f"did not draw at {width} pixels")
        print(f"{width} pixels: {picture.call('too_wide')} labels wider than "
              f"their frames, {picture.call('outside')} outside of the paper")
    for scheme in "light", "dark":
        picture.browser.do("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        print(f"{scheme}:", *picture.call("colors"))


def main():
    path, frame, measure, text = sys.argv[1:5]
    with Browser() as browser:
        picture = Picture(browser, path)
        look(picture, frame, measure, text)
        if len(sys.argv) > 5:
            browser.screenshot(sys.argv[5])
        resize(picture)


main()
