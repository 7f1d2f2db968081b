# SPDX-License-Identifier: Apache-2.0
"""Check each view of a page with axe-core, light and dark.

usage: accessible.py PAGE AXE
"""

import json
import sys

from page import Page

VIEWS = ("overview", "comparison", "flame", "table", "treemap", "sizes",
         "labels")
# A panel, chips, matches and an interval are there in one view.
SELECTED = {"flame": {"pick": "north", "find": "sou", "only": "main",
                      "from": "0", "to": "1"},
            "treemap": {"pick": "main"}, "table": {"pick": "south"}}


def main(path, axe):
    with open(axe, encoding="utf-8") as file:
        script = file.read()
    with Page(path) as page:
        page.ask(f"{script}; 0")
        for scheme in ("light", "dark"):
            page.do("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            for view in VIEWS:
                page.go(view=view, **SELECTED.get(view, {}))
                page.ask("axe.run().then(found => { window.found = "
                         "JSON.stringify(found.violations.map(one => "
                         "[one.id, one.nodes[0].html])); }); "
                         "window.found = null; 0")
                page.wait("window.found !== null")
                found = json.loads(page.ask("window.found"))
                print(f"{scheme} {view}: "
                      f"{found if found else 'no violations'}")


main(*sys.argv[1:])
