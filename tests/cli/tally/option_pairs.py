#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""List the pairs of options of report and diff that are refused, and those of
which one is not obeyed.

Refused pairs are looked for with a source that does not exist: they are judged
before it is opened. Every other pair must change the output of some source in
a way that neither option does alone. The expected output lists the pairs for
which no source shows that: one option contains the other, or data is lacking.
"""

import concurrent.futures
import functools
import itertools
import os
import subprocess
import sys

sys.path.insert(0, os.path.realpath(__file__ + "/../.."))
import make_ledger  # noqa: E402

NONE = (None,)
NAMES = {
    "file": ("src/pool.c",), "module": ("app", "libread*"), "line": ("77",),
    "function": ("app+0x1200", "app+0x1800", "pool_grow"), "leaf": NONE,
    "focus": ("app", "pool_grow"), "hide": ("app+0x1200", "libread*"),
    "inaccurate": NONE,
}
OF_BOTH = {
    **NAMES, "process": ("app",), "all": NONE, "svg": NONE, "json": NONE,
    "color": ("always",), "elf": ("program",), "load-address": ("0x1000",),
    "debuginfod": NONE, "sysroot": ("/",), "top": ("1", "2"),
    "sum": ("module", "place"),
}
REPORT = {
    "peak": NONE, "leaks": NONE, "temporary": NONE, "reallocs": NONE,
    "lifetimes": NONE, "since": ("stacks",), "older-than": ("1s",),
    "resident": NONE, "at": ("0.7",), "between": ("0.1,0.5",),
    "callers": ("app+0x1100", "pool_grow"), "reverse": NONE,
    "sort": ("calls", "total", "function"), "row": ("2", "1"),
    "by": ("label",), "min-size": ("100", "1000"), "max-size": ("4K", "600"),
    "kind": ("maps", "heap", "threads"), "regions": NONE, "sizes": NONE,
    "format": ("markdown",), "full": NONE, **OF_BOTH,
}
DIFF = {
    "value": ("blocks", "total"), "fail-over": ("1",),
    "sort": ("function", "after"), "kind": ("heap", "maps"), "html": NONE,
    "format": ("markdown",), **OF_BOTH,
}
SIDES = [("plain", "other"), ("plain", "stacks"), ("stacks", "stacks_later"),
         ("sampled", "sampled_later"), ("kinds", "stacks")]
# Names come from elsewhere, the option is for traces alone, or any option for
# rows contains it.
UNSEEN = {"debuginfod", "sysroot", "elf", "load-address", "full"}
TRACES = {
    "calls": "#m:0x1000;0x600d-50\n#r:0x2000;0x6011-0x1000;80\n",
    "regions_of": "zpl_memory_event heap (0x2000) 10B 90B 0\n",
}


def words(option, value):
    return f"--{option}" if value is None else f"--{option}={value}"


@functools.lru_cache(maxsize=None)
def run(command, options, sources):
    """Return status, output and messages."""
    done = subprocess.run(
        [os.environ["TALLY"], command,
         *(words(*option) for option in options), *sources],
        capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def is_refused(command, options, pair):
    status, _, errors = run(
        command, tuple((name, options[name][0]) for name in pair),
        ("gone", "gone"))
    if b"cannot be combined" not in errors:
        return False
    assert status == 2, (command, pair, status)
    for name in pair:
        assert b"--" + name.encode() in errors, (command, pair, errors)
    return True


def are_obeyed(command, options, sources, pair):
    """Return True if both options of the pair change some output."""
    for source, *values in itertools.product(
            sources, *(options[name] for name in pair)):
        both = tuple(zip(pair, values))
        alone = [run(command, (option,), source)[:2] for option in both]
        if run(command, (), source)[:2] in alone or \
                2 in (alone[0][0], alone[1][0]):
            continue
        found = run(command, both, source)
        assert found[0] >= 0, (command, both, source, found[0])
        if found[0] != 2 and found[:2] not in alone:
            return True
    return False


def write(command, what, pairs):
    for first, group in itertools.groupby(sorted(pairs), lambda of: of[0]):
        print(f"{command}: {what}: --{first}",
              *(second for _, second in group))


def main():
    for name, scenario in make_ledger.SCENARIOS.items():
        with open(name, "wb") as file:
            file.write(scenario().to_bytes())
    for name, text in TRACES.items():
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for command, options, sources in (
                ("report", REPORT, [(name,) for name in
                                    (*make_ledger.SCENARIOS, *TRACES)]),
                ("diff", DIFF, SIDES)):
            pairs = list(itertools.combinations(sorted(options), 2))
            refused = {pair for pair, no in zip(pairs, pool.map(
                lambda pair: is_refused(command, options, pair), pairs)) if no}
            left = [pair for pair in pairs if pair not in refused
                    and not UNSEEN & set(pair)]
            write(command, "refused", refused)
            write(command, "not seen", [pair for pair, yes in zip(
                left, pool.map(lambda pair: are_obeyed(
                    command, options, sources, pair), left)) if not yes])


if __name__ == "__main__":
    main()
