# SPDX-License-Identifier: Apache-2.0
"""Open a page with an injected script, and print which of both scripts ran.

usage: script.py PAGE
"""

import base64
import hashlib
import re
import sys

from page import Browser


def main(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    own = re.search(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL)
    digest = hashlib.sha256(own[2].encode()).digest()
    print("named:", f"'sha256-{base64.b64encode(digest).decode()}'" in
          re.search(r"script-src ([^;]*);", text)[1])
    other = f"<script{own[1]}>document.title = 'the other one'</script>"
    with open("both.html", "w", encoding="utf-8", newline="") as file:
        file.write(text.replace("<body>", "<body>" + other, 1))
    with Browser() as browser:
        browser.open("both.html")
        while browser.ask("document.querySelector('#waiting') !== null"):
            browser.check_time("the page did not draw itself")
        print("title:", browser.ask("document.title"))


main(*sys.argv[1:])
