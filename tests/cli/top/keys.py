# SPDX-License-Identifier: Apache-2.0
"""The manual page has the keys of the help, in its order."""

import os
import re
import subprocess

PAGE = os.path.join(os.environ["CASE_DIR"], "../../../docs/man/tally-top.1")

printed = subprocess.run([os.environ["TALLY"], "top", "--help"], check=True,
                         capture_output=True, text=True).stdout
keys = re.findall(r"^  (\S.*?)  +(.*)$", printed.split("\nKeys:\n")[1],
                  re.MULTILINE)
with open(PAGE, encoding="utf-8") as file:
    section = file.read().split(".Sh KEYS\n")[1].split(".El\n")[0]
told = [(name.replace(" , Ic ", ", ").replace("\\&", ""), does) for name, does
        in re.findall(r"^\.It Ic (.*)\n(.*)$", section, re.MULTILINE)]
print("keys:", len(keys) > 10, "in the page:", keys == told or (keys, told))
