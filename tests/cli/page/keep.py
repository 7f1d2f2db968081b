# SPDX-License-Identifier: Apache-2.0
"""Save each view as CSV, the flame graph as PNG, and all as PDF.

usage: keep.py PAGE
"""

import base64
import re
import sys

from page import Page

# Saved files are read instead.
CATCH = """
window.kept = null;
URL.createObjectURL = blob => { window.kept = blob; return "data:,"; };
HTMLAnchorElement.prototype.click = () => {};
var read = {
  CSV: async blob => (await blob.text()).split("\\r\\n").length > 2,
  PNG: async blob => {
    const image = await createImageBitmap(blob);
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4)
      colors.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return colors.size > 4;
  },
};
"""


def main(path):
    with Page(path) as page:
        page.ask(CATCH + "0")
        for tab in page.call("texts", "[role=tab]"):
            page.click_on(tab)
            for kind in ("CSV", "Flame graph as PNG"):
                if kind != "CSV" and tab != "Flame":
                    continue
                page.ask("window.kept = null; 0")
                page.share(kind)
                page.wait("window.kept !== null")
                page.ask(f"window.found = null; read.{kind[-3:]}(window.kept)"
                         ".then(found => { window.found = found; }); 0")
                page.wait("window.found !== null")
                print(f"{tab}, {kind}: {page.ask('window.found')}")
        page.click_on("Table")
        page.ask("addEventListener('beforeprint', () => { window.printed = "
                 "document.getElementById('view').children.length; })")
        data = base64.b64decode(page.do("Page.printToPDF", paperWidth=8.27,
                                        paperHeight=11.69)["data"])
        print("PDF:", re.search(rb"/Count (\d+)", data)[1].decode(), "pages,",
              page.ask("window.printed"), "views; again:",
              page.ask("document.querySelector('[aria-selected=true]')"
                       ".textContent"), len(page.call("table")) > 0)
        page.finish()


main(*sys.argv[1:])
