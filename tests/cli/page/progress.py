# SPDX-License-Identifier: Apache-2.0
"""Open a page at once, and as if it took long; print the progress it shows.

usage: progress.py PAGE
"""

import sys

from page import Page

# The clock of the page is late or early by this.
CLOCK = """
const now = performance.now.bind(performance), begun = now();
performance.now = () => LATE + now() - begun;
window.shown = [];
window.late = LATE;
new MutationObserver(() => {
  const bar = document.querySelector("progress");
  if (bar !== null)
    window.shown.push(bar.value);
}).observe(document, { childList: true, subtree: true });
"""


def main(path):
    with Page(path) as page:
        for late in (-1000000, 1000):
            page.do("Page.addScriptToEvaluateOnNewDocument",
                    source=f"{{{CLOCK.replace('LATE', str(late))}}}")
            page.do("Page.navigate", url=page.address)
            page.wait(f"window.late === {late} && performance"
                      ".getEntriesByName('tally-ready').length > 0")
            shown = page.ask("window.shown")
            print(f"after {late} ms:", len(shown) > 1,
                  shown == sorted(shown), shown[-1:],
                  page.ask("document.querySelector('progress')"))
        page.finish()


main(*sys.argv[1:])
