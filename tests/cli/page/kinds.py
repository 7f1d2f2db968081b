# SPDX-License-Identifier: Apache-2.0
"""Choose each kind of memory, and print the remaining rows.

usage: kinds.py PAGE
"""

import sys

from page import Page


# Whether a line below the text of the second frames has many colours.
HATCHED = """(() => {
  const copy = new OffscreenCanvas(200, 1).getContext("2d");
  copy.drawImage(document.querySelector("canvas"), -150, -37);
  const { data } = copy.getImageData(0, 0, 200, 1);
  return new Set(new Uint32Array(data.buffer)).size > 1;
})()"""


def main(path):
    with Page(path) as page:
        kinds = page.ask("[...document.querySelector("
                         "'select[aria-label=Memory]').options]"
                         ".map(one => one.value)")
        for kind in kinds:
            page.go(view="table", figure="live-bytes", kind=kind)
            names = sorted(row[0] for row in page.call("table"))
            print(f"{kind}: {page.call('text', '.sum')}; {', '.join(names)}")
        colors = page.ask("[...document.querySelectorAll('footer li')].map("
                          "one => [one.textContent.trim(), getComputedStyle("
                          "one.firstChild).backgroundColor])")
        for name, _ in colors:
            print("colour:", name)
        assert len({color for _, color in colors}) == len(colors), colors
        for kind in ("heap", "maps"):
            page.go(view="flame", figure="live-bytes", kind=kind)
            print(f"hatched, {kind}:", page.ask(HATCHED))
        page.go(view="labels")
        print("threads:", page.call("texts", "main tr td"))
        page.finish()


main(*sys.argv[1:])
