# SPDX-License-Identifier: Apache-2.0
"""Leak in each plant of a program; say if the first screen names its line.

usage: names.py SOURCE COMMAND..., which compiles SOURCE to ./planted
"""

import os
import re
import subprocess
import sys


def top_row(plant):
    subprocess.run([os.environ["TALLY"], "record", "-q", "--force", "-o",
                    "a.tally", "./planted", plant], check=True)
    screen = subprocess.run([os.environ["TALLY"], "report", "--color=never",
                             "a.tally"], check=True, capture_output=True,
                            text=True, env=os.environ | {"COLUMNS": "300"})
    return screen.stdout.split("\nTop at ")[1].splitlines()[1]


def main(source, *command):
    subprocess.run(command, check=True)
    with open(source, encoding="utf-8") as text:
        lines = dict(reversed(plant.groups()) for plant in (
            re.search(r"^(\d+):.*// plant: (\w+)$", f"{i}:{line.rstrip()}")
            for i, line in enumerate(text, 1)) if plant)
    for plant, line in lines.items():
        row = top_row(plant)
        name = f"({os.path.basename(source)}:{line})"
        print(plant, "right" if row.endswith(name) else f"{line}: {row}")


main(*sys.argv[1:])
