# SPDX-License-Identifier: Apache-2.0
"""Use the flame graph by its buttons and keys, and print the result.

usage: flame.py PAGE PAGE_WITHOUT_SOURCES
"""

import sys

from page import Page

FUNCTIONS = ("main", "north", "south", "shared", "xmalloc", "deep")


def frames(page):
    """Yield the frames of the program, by keys from the root on."""
    page.ask("document.querySelector('canvas').focus()")
    seen = []
    for _ in range(14):
        said = page.call("text", "#flame-said")
        name = said.split(" (")[0].split(":")[0]
        if not seen or seen[-1] != said:
            seen.append(said)
            if name in FUNCTIONS or name == "all":
                yield f"{name} {said.split(': ')[1].split(' bytes')[0]}"
        page.key("ArrowDown", 40)


def press(page, text):
    page.click_on(text)
    page.ask("new Promise(done => setTimeout(done, 30))")


def zoom(page, name):
    """Go down to a frame with this name."""
    page.key("Escape", 27)
    page.ask("document.querySelector('canvas').focus()")
    for _ in range(20):
        if page.call("text", "#flame-said").startswith(name + " ("):
            break
        page.key("ArrowDown", 40)
    page.key("Enter", 13)


def main(path, bare_path):
    with Page(path) as page:
        page.deadline += 120  # many keys on a busy machine
        page.go(view="flame", without="deep")
        print("without deep:", ", ".join(frames(page)))
        page.go(view="flame", without="deep", fold="no")
        print("unfolded:", ", ".join(frames(page)))
        page.go(view="flame", without="deep", of="shared")
        print("callees of shared:", ", ".join(frames(page)))
        page.go(view="flame", without="deep", of="shared", inverted="yes")
        print("callers of shared:", ", ".join(frames(page)))
        page.go(view="flame", only="north")
        print("only north:", ", ".join(frames(page)))
        page.go(view="flame", without="deep")
        zoom(page, "south")
        print("path:", " > ".join(page.call("texts", ".path button")))
        page.go(view="flame", without="deep")
        zoom(page, "south")
        press(page, "Callers")
        print("callers:", page.ask("decodeURIComponent(location.hash)"))
        zoom(page, "main")
        press(page, "Exclude")
        print("without main:", page.call("text", ".sum"))
        page.go(view="flame", only="deep")
        high = page.ask("document.querySelector('canvas').height")
        said = page.call("text", "#flame-said")
        print("deep:", high < 32768, said.split("; ")[-1].split(" ", 1)[1])
        pixel = page.ask("[...document.querySelector('canvas').getContext('2d')"
                         ".getImageData(200, 30000, 1, 1).data]")
        print("drawn:", pixel[3] == 255)
        page.go(view="table")
        print("source:", sorted(set(page.call("texts", "main code"))))
        page.finish()
    with Page(bare_path) as page:
        page.go(view="table")
        print("none:", sorted(set(page.call("texts", "main code"))))


main(*sys.argv[1:])
