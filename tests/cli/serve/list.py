# SPDX-License-Identifier: Apache-2.0
"""The list of tally serve in Chromium.

usage: list.py TALLY AXE
"""

import json
import os
import subprocess
import sys
import urllib.request
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../page"))
from page import Page  # noqa: E402

PROGRAM = """
import os, sys
kept = []
print(os.getpid(), flush=True)
for line in sys.stdin:
    kept.append(bytearray(int(line)))
"""
SIZES = 30_000_000, 70_000_000
BYTES = """(text => {
    const [, number, unit] = /^([0-9.]+) (\\w+)$/.exec(text) ?? [];
    return number * 1024 ** ["B", "KiB", "MiB", "GiB"].indexOf(unit);
})"""


def start(tally, name):
    record = subprocess.Popen(
        [tally, "record", "-qfo", name, "--", sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return record, int(record.stdout.readline())


def allocate(record, size):
    record.stdin.write(f"{size}\n")
    record.stdin.flush()


def check(page, records, pids, axe):
    row = "document.querySelector(`tbody a[href=\"/program/%d/\"]`)" \
        ".closest('tr')"
    cell = BYTES + "(" + row + ".cells[%d].textContent)"
    for record, size in zip(records, SIZES):
        allocate(record, size)
    for pid, size in zip(pids, SIZES):
        page.wait(f"{cell % (pid, 2)} >= {size}")
        live, peak = (page.ask(cell % (pid, number)) for number in (2, 3))
        assert size <= live <= peak * 1.001 <= size * 1.3, (live, peak)
    order = page.ask("[...document.querySelectorAll('tbody tr')]"
                     ".map(row => Number(row.cells[1].textContent))")
    assert order.index(pids[1]) < order.index(pids[0]), order
    print("the larger one is first")
    page.ask(f"{row % pids[0]}.querySelector('a').focus(); "
             f"window.old = {row % pids[0]}; 0")
    page.wait("!window.old.isConnected")
    assert page.ask("document.activeElement.getAttribute('href')") == \
        f"/program/{pids[0]}/"
    print("the focus is kept")
    points = f"{row % pids[0]}.querySelector('polyline').points"
    page.wait(f"{points}.length >= 2")
    assert page.ask(f"[...{points}].every((one, i, all) => one.y >= 0 && "
                    "one.y <= 20 && (i === 0 || one.x >= all[i - 1].x))")
    with open(axe, encoding="utf-8") as file:
        page.ask(f"{file.read()}; 0")
    for scheme in ("light", "dark"):
        page.do("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        page.ask("window.found = null; axe.run().then(found => { window.found ="
                 " JSON.stringify(found.violations.map(one => [one.id, "
                 "one.nodes[0].html])); }); 0")
        page.wait("window.found !== null")
        print(scheme, json.loads(page.ask("window.found")) or "no violations")


def shown(address, pid, other):
    """Return the PID that the page of a process shows for ?process=OTHER."""
    with urllib.request.urlopen(f"{address}program/{pid}/data?process={other}",
                                timeout=30) as answer:
        text = zlib.decompress(answer.read(), wbits=31).decode("latin-1")
    return json.JSONDecoder().raw_decode(text)[0]["process"]["pid"]


def main(tally, axe):
    records, pids = zip(*(start(tally, name) for name in ("a", "b")))
    serve = subprocess.Popen([tally, "serve", "--listen=127.0.0.1:0"],
                             stdout=subprocess.PIPE, text=True)
    try:
        address = serve.stdout.readline().strip()
        with Page(address) as page:
            check(page, records, pids, axe)
            page.finish()
            print("another process is shown:",
                  shown(address, *pids) == pids[1])
            serve.terminate()
            serve.wait()
            page.wait("document.querySelector('[role=status]').textContent"
                      ".startsWith('No answer since ')")
            print("the end is said")
    finally:
        for process in (*records, serve):
            process.kill()
            process.wait()


main(*sys.argv[1:])
