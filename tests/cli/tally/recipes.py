# SPDX-License-Identifier: Apache-2.0
"""Run the recipes of docs/json.md on each kind of source."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.realpath(__file__ + "/../.."))
import make_ledger  # noqa: E402

DOCS = os.path.realpath(__file__ + "/../../../../docs")
TEXTS = {
    "calls": "#m:0x1000;0x600d-50\n#r:0x2000;0x6011-0x1000;80\n",
    "regions_of": "zpl_memory_event heap (0x2000) 10B 90B 0\n",
    "kernel_log": "[ 75.3] Memory allocations (profiling is on):\n"
                  "[ 75.3]  1.00 KiB 1 a.c:1 func:f\n"
                  "[ 75.3]  4.00 MiB 7 b.c:1 [m] func:g\n",
    "kernel_rounded": "root@host:~# tail /proc/allocinfo | numfmt --to=iec\n"
                      "  928K  6983 fs/kernfs/dir.c:6 func:__kernfs_new_node\n"
                      "  3.1M   771 mm/shmem.c:1938 func:shmem_alloc_folio\n",
    "kernel_empty": "allocinfo - version: 2.0\n",
    "empty": "", "profiles": make_ledger.STACK_LINES,
}
SETUP = """import json
import sys
file = sys.stdin
"""


def recipes():
    """Return the recipes with jq of all documents, and the one in Python."""
    found = []
    for folder, _, names in sorted(os.walk(DOCS)):
        for name in sorted(names):
            if not name.endswith(".md") or name == "benchmarks.md":
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found += re.findall(r"^```sh\n(tally report .*?\| jq .*?)^```",
                                    file.read(), re.M | re.S)
    with open(DOCS + "/json.md", encoding="utf-8") as file:
        python, = re.findall(r"^```python\n(.*?)^```", file.read(),
                             re.M | re.S)
    return found, SETUP + python


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **options)
    said = done.stdout.decode().strip().replace("\n", " < ")
    return said if done.returncode == 0 and not done.stderr else \
        f"status {done.returncode}: {done.stderr.decode()}"


def main():
    for name, scenario in make_ledger.SCENARIOS.items():
        with open(name, "wb") as file:
            file.write(scenario().to_bytes())
    os.mkdir("plain.d")
    os.rename("forked", "plain.d/4300-0")
    for name, text in TEXTS.items():
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    for name in "linux-7.3.4-boot.txt", "zpl-sample.txt":
        os.symlink(os.path.realpath(DOCS + "/../tests/cli/data/" + name), name)
    with_jq, python = recipes()
    sources = [name for name in sorted(os.listdir()) if os.path.isfile(name)]
    for options in *sources, "--all plain", "--at=end history", \
            "--sum=module stacks", "--sum linux-7.3.4-boot.txt", \
            "--sum=folder linux-7.3.4-boot.txt", "--since=stacks stacks":
        print(f"{options}:")
        for recipe in with_jq:
            command = recipe.replace("app.tally", options, 1).replace(
                "| jq", "2>/dev/null | jq", 1)
            print(" ", run(["/bin/bash", "-o", "pipefail", "-c", command]))
        report = subprocess.run(["tally", "report", "--json",
                                 *options.split()], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, check=True).stdout
        print(" ", run([sys.executable, "-c", python], input=report))


if __name__ == "__main__":
    main()
