# SPDX-License-Identifier: Apache-2.0
"""Save each view as CSV, SVG and PNG, and print the content.

usage: keep.py PAGE
"""

import sys
from xml.etree import ElementTree

from page import Page

# Saved files are read instead.
CATCH = """
window.kept = null;
URL.createObjectURL = blob => { window.kept = blob; return "data:,"; };
HTMLAnchorElement.prototype.click = () => {};
var read = {
  CSV: async blob => (await blob.text()).split("\\r\\n").length > 2,
  SVG: blob => blob.text(),
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
            for kind in ("CSV", "SVG", "PNG"):
                page.ask("window.kept = null; 0")
                page.click_on(kind)
                page.wait("window.kept !== null")
                page.ask(f"window.found = null; read.{kind}(window.kept)"
                         ".then(found => { window.found = found; }); 0")
                page.wait("window.found !== null")
                found = page.ask("window.found")
                if kind == "SVG":
                    found = len(list(ElementTree.fromstring(found).iter())) > 5
                print(f"{tab}, {kind}: {found}")
        page.finish()


main(*sys.argv[1:])
