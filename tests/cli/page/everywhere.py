# SPDX-License-Identifier: Apache-2.0
"""Look at each view of pages with each metric and some filters: no text and no
picture has a value that is none, and nothing is thrown.

usage: everywhere.py PAGE...
"""

import itertools
import sys

from page import Page

FILTERS = ({}, {"only": "no such function"}, {"from": 0, "to": 1},
           {"inverted": "yes", "fold": "no", "lines": "yes", "find": "a"},
           {"kind": "all", "columns": "all", "sort": "function"})
WRONG = """(() => {
    const bad = /NaN|undefined|Infinity|\\[object/, wrong = [];
    const texts = document.createTreeWalker(document.body,
        NodeFilter.SHOW_TEXT, one => one.parentNode.localName === "script" ?
            NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    while (texts.nextNode())
        if (bad.test(texts.currentNode.data))
            wrong.push(texts.currentNode.data);
    for (const one of document.querySelectorAll("main *, #timeline *"))
        for (const { name, value } of one.attributes)
            if (bad.test(value) || (/^(width|height)$/.test(name) &&
                    Number.parseFloat(value) < 0) ||
                (name === "style" && Number.parseFloat(one.style.width) > 101))
                wrong.push(`${one.localName} ${name}=${value}`);
    return wrong.slice(0, 3);
})()"""


def look(page):
    views = page.ask("[...document.querySelectorAll('[role=tab]')]"
                     ".map(tab => tab.id.slice(4))")
    figures = [key for key, _ in page.call("figures")] or [""]
    seen = 0
    for view, figure, more in itertools.product(views, figures, FILTERS):
        state = {"view": view, "figure": figure, **more}
        text = "&".join(f"{key}={value}" for key, value in state.items())
        page.ask(f"history.replaceState(null, '', '#{text}'); "
                 "dispatchEvent(new Event('hashchange'))")
        wrong = page.ask(WRONG)
        assert not wrong and not page.bad, (state, wrong, page.bad)
        seen += 1
    return seen


def main(*paths):
    for path in paths:
        with Page(path) as page:
            page.deadline += 100
            assert look(page) > 0
            print(path, page.call("text", "[role=alert]"))
            page.finish()


main(*sys.argv[1:])
