#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compare --help and --json of each command with its manual page.

usage: documented.py FOLDER-OF-THIS-FILE
"""

import json
import os
import re
import subprocess
import sys

COMMANDS = ("record report snapshot top diff check export allocinfo capture "
            "decode ctl view attach detach serve push store".split())
OF_ALL = {"-h", "--help", "-V", "--version"}
CALLS = "#m:0x1000;0x600d-50\n#r:0x2000;0x6011-0x1000;80\n#m:0x0;0x600d-9\n"
REGIONS = "zpl_memory_event heap (0x2000) 10B 90B 0\n"
EXPLAINED = {
    "report": ["plain", "stacks", "--lifetimes sampled",
               "--regions regions", "kernel", "calls", "zpl"],
    "diff": ["plain stacks", "stacks sampled", "zpl zpl"],
    "decode": ["calls", "zpl"],
}


def run(*arguments):
    done = subprocess.run(["tally", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False,
                          encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return done.stdout


def options(lines):
    """Return the options in mdoc text: `Fl o` is -o and `Fl Fl output`
    --output."""
    return [{"--" + long if long else "-" + short for long, short in
             re.findall(r"\bFl (?:Fl ([a-z-]+)|([a-zA-Z])\b)", line)}
            for line in lines]


def compare_options(command, page):
    helped = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)",
                            run(command, "--help")))
    items = options(re.findall(r"^\.It (Fl .*)", page, re.M))
    synopsis = set().union(*options(
        page.split(".Sh SYNOPSIS")[1].split(".Sh ")[0].splitlines()))
    explained = set().union(*items)
    print(command, "not in the page:", sorted(helped - explained),
          "not in --help:", sorted(explained - helped),
          "not in the SYNOPSIS:",
          sorted(min(item) for item in items
                 if not item & (synopsis | OF_ALL)))


def members(value):
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from members(member)
    elif isinstance(value, list):
        for member in value:
            yield from members(member)


def compare_members(command, page):
    words = set(re.findall(r"\w+", page.split(".Sh JSON OUTPUT")[-1]))
    for arguments in EXPLAINED[command]:
        inputs = [argument if argument.startswith("--") else argument + ".in"
                  for argument in arguments.split()]
        found = set(members(json.loads(run(command, "--json", *inputs))))
        print(command, arguments, len(found) > 5, sorted(found - words))


def main():
    here = sys.argv[1]
    for scenario in "plain", "stacks", "sampled", "regions", "resident":
        subprocess.run([sys.executable, f"{here}/../make_ledger.py",
                        f"{scenario}.in", scenario], check=True)
    os.mkdir("plain.in.d")
    os.rename("resident.in", "plain.in.d/4300-1")
    os.symlink(f"{here}/../data/linux-7.3.4-boot.txt", "kernel.in")
    for name, text in ("calls", CALLS), ("zpl", REGIONS):
        with open(f"{name}.in", "w", encoding="ascii") as file:
            file.write(text)
    for command in COMMANDS:
        path = f"{here}/../../../docs/man/tally-{command}.1"
        with open(path, encoding="utf-8") as file:
            page = file.read()
        compare_options(command, page)
        if command in EXPLAINED:
            compare_members(command, page)


if __name__ == "__main__":
    main()
