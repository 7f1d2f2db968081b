# SPDX-License-Identifier: Apache-2.0
"""Use a page by mouse and keyboard, and print the result.

usage: use.py PAGE
"""

import base64
import re
import sys

from page import Page


def selected(page):
    return page.ask("document.querySelector('[aria-selected=true]')"
                    ".textContent")


def say(page, what):
    print(f"{what}: {selected(page)}, {page.call('text', '.sum')}")


def drag(page, start, end):
    box = page.ask("(() => { const box = document.querySelector("
                   "'svg.time .overlay').getBoundingClientRect();"
                   "return [box.x, box.y, box.width, box.height]; })()")
    points = [(box[0] + box[2] * part, box[1] + box[3] / 2)
              for part in (start, end)]
    page.mouse("mouseMoved", *points[0])
    page.mouse("mousePressed", *points[0], button="left", clickCount=1)
    page.mouse("mouseMoved", *points[1], button="left")
    page.mouse("mouseReleased", *points[1], button="left", clickCount=1)


def main(path):
    with Page(path) as page:
        say(page, "begin")
        for title in ("Compare", "Flame", "Table", "Treemap",
                      "Sizes and lifetimes", "Threads and labels", "Overview"):
            page.click_on(title)
            assert selected(page) == title, title
        page.key("3")
        say(page, "the key 3")
        page.key("ArrowDown", 40)
        page.ask("document.querySelector('canvas').focus()")
        page.key("ArrowDown", 40)
        print("focus:", page.call("text", "#flame-said").split(" (")[0])
        page.key("Enter", 13)
        print("zoomed:", " > ".join(page.call("texts", ".path button")))
        page.key("Escape", 27)
        print("again:", page.call("texts", ".path button"))
        page.key("i")
        assert page.ask("location.hash.includes('inverted=yes')")
        page.key("i")
        page.key("/")
        page.type("south")
        page.key("Enter", 13)
        page.click_on("Table")
        print("found:", [row[0] for row in page.call("table")])
        page.click(*page.ask("page.middle(document.querySelector("
                             "'main .call'))"))
        print("opened:", page.call("texts", ".frames li")[0].split(" ")[0])
        page.key("Escape", 27)
        drag(page, 0.0, 0.999)
        print("interval:", page.ask("new URLSearchParams(location.hash"
                                    ".slice(1)).get('from')"),
              page.ask("new URLSearchParams(location.hash.slice(1))"
                       ".get('figure')"))
        page.click_on("Table")
        grown = page.call("columns").index("growth") + 1
        print("grew:", sorted(row[0] for row in page.call("table")
                              if row[grown] > 0))
        assert "leaked" not in page.call("columns")
        page.click_on("Overview")
        assert ["growth", "growth"] in page.call("figures")
        page.key("Escape", 27)
        instants = int(page.call("text", "#time-said").split(" ")[0])
        page.ask("document.querySelector('svg.time').focus()")
        page.key("ArrowLeft", 37)
        page.ask("document.querySelector('svg.time').focus()")
        page.press("ArrowRight", windowsVirtualKeyCode=39, modifiers=8)
        state = dict(page.ask(
            "[...new URLSearchParams(location.hash.slice(1))]"))
        print("arrows: from", state["from"], "to the last but one:",
              int(state["to"]) == instants - 2)
        page.key("Escape", 27)
        for key, name in (("l", "lines"), ("u", "up"), ("w", "fold")):
            before = page.ask("location.hash")
            page.key(key)
            assert name in page.ask("location.hash"), name
            page.key(key)
            assert page.ask("location.hash") == before, name
        page.do("Emulation.setEmulatedMedia", media="print")
        print("printed:", page.call(
            "texts", "[role=tab], .controls label, .share"))
        page.do("Emulation.setEmulatedMedia", media="")
        for width in (360, 1280):
            page.do("Emulation.setDeviceMetricsOverride", width=width,
                    height=900, deviceScaleFactor=1, mobile=False)
            data = base64.b64decode(page.do(
                "Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
            print(f"pages printed from {width} pixels:",
                  re.search(rb"/Count (\d+)", data)[1].decode(),
                  page.ask("document.querySelector('#view').children.length"))
        assert page.ask("document.querySelector('.controls label').title") == \
            "key w"
        page.do("Emulation.setDeviceMetricsOverride", width=800, height=900,
                deviceScaleFactor=1, mobile=False)
        page.go(view="table")
        for sheet in ("", "Metric", "Timeline", "Timeline"):
            if sheet:
                page.click_on(sheet)
            print(f"sheets, {sheet or 'none'}:", [part for part in (
                ".cards", "svg.time") if page.ask(
                    f"document.querySelector('{part}').checkVisibility()")])
        for width in (360, 1280, 2560):
            page.do("Emulation.setDeviceMetricsOverride", width=width,
                    height=900, deviceScaleFactor=1, mobile=False)
            for view in ("overview", "comparison", "flame", "table", "treemap",
                         "sizes", "labels"):
                page.go(view=view)
                assert page.call("small") == 0, (width, view)
                assert page.call("wide") <= 0, (width, view,
                                                page.call("wide"))
            page.go(view="flame", pick="main")
            place = page.ask("getComputedStyle(document.querySelector("
                             "'.detail')).position")
            assert place == ("fixed" if width < 1000 else "sticky"), place
        page.finish()


main(*sys.argv[1:])
