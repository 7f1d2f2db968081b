# SPDX-License-Identifier: Apache-2.0
"""Open the page of each process of a recording, from that of the largest.

usage: processes.py TALLY RECORDING
"""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request

from watched import SUM, Page, wait

FACTS = "[document.querySelector('h1').textContent.split(' ')[0], " \
    f"{SUM}]"


def peak(tally, recording, process):
    report = json.loads(subprocess.run(
        [tally, "report", "--json", f"--process={process}", recording],
        stdout=subprocess.PIPE, check=True).stdout)
    return report["totals"]["peak_bytes"]


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def show(tally, recording, address):
    with Page(address) as page:
        print(page.ask(FACTS)[0])
        page.ask("document.querySelector('.processes').open = true")
        links = page.ask("[...document.querySelectorAll('.processes a')]"
                         ".map(link => link.getAttribute('href'))")
        page.ask("document.querySelector('.processes a').click()")
        wait(page, "location.search !== '' && document.querySelector('h1') "
                   "!== null")
        name, total = page.ask(FACTS)
        print(len(links), name,
              total == peak(tally, recording, links[0].split("=")[1]))
        assert not page.bad, page.bad
    for process in "*", "0", "1-1":
        print(status(f"{address}data?process={process}"))


def main(tally, recording):
    with subprocess.Popen([tally, "view", "--no-browser", recording],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as view:
        try:
            show(tally, recording, view.stdout.readline().strip())
        finally:
            view.terminate()
        print(re.sub(r"\d+ phases", "PID phases",
                     view.communicate(timeout=30)[1]), end="")


main(*sys.argv[1:])
