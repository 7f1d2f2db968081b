#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""List the refused pairs of options of report and diff; check all others.

Refused pairs are looked for with a source that does not exist: they are judged
before it is opened. Where both options alone change the report on a source, the
pair must change it in a way that neither does alone.
"""

import concurrent.futures
import itertools
import os
import subprocess

REPORT = {
    "peak": None, "leaks": None, "temporary": None, "reallocs": None,
    "lifetimes": None, "since": "gone", "older-than": "1s", "resident": None,
    "at": "0.7", "between": "0.1,0.5", "full": None, "callers": "app+0x1100",
    "reverse": None, "sort": "calls", "top": "1", "row": "2", "sum": "module",
    "by": "label", "file": "a.c", "function": "app+0x1200", "module": "app",
    "line": "1", "focus": "app", "hide": "app", "leaf": None,
    "inaccurate": None, "min-size": "100", "max-size": "4K", "kind": "maps",
    "process": "app", "all": None, "regions": None, "sizes": None,
    "format": "markdown", "json": None, "svg": None, "color": "always",
    "elf": "program", "load-address": "0x1000", "debuginfod": None,
    "sysroot": "/",
}
DIFF = {
    "value": "blocks", "fail-over": "1", "sort": "function", "top": "1",
    "sum": "module", "file": "a.c", "function": "app+0x1200", "module": "app",
    "line": "1", "focus": "app", "hide": "app", "leaf": None,
    "inaccurate": None, "kind": "heap", "process": "app", "all": None,
    "svg": None, "html": None, "json": None, "format": "markdown",
    "color": "always", "elf": "program", "load-address": "0x1000",
    "debuginfod": None, "sysroot": "/",
}
# Options with an effect of their own on the ledgers below.
STRONG = {
    "report": ["peak", "leaks", "temporary", "lifetimes", "at", "callers",
               "reverse", "sort", "row", "sum", "kind", "sizes", "format",
               "json"],
    "diff": ["value", "fail-over", "sum", "kind", "svg", "html", "json",
             "format"],
}
# Pairs of which one has no effect beside the other on these ledgers.
CONTAINED = {
    ("leaks", "format"), ("leaks", "json"), ("leaks", "callers"),
    ("leaks", "reverse"), ("sizes", "json"), ("sort", "sum"), ("sum", "kind"),
    ("lifetimes", "sort"),
}
SOURCES = {
    "report": [["stacks"], ["sampled"], ["history"], ["sizes"]],
    "diff": [["stacks", "stacks_later"], ["sampled", "sampled_later"]],
}


def run(command, options, names, sources):
    """Return status, output and messages."""
    arguments = [f"--{name}" if options[name] is None
                 else f"--{name}={options[name]}" for name in names]
    done = subprocess.run([os.environ["TALLY"], command] + arguments + sources,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def is_refused(command, options, pair):
    status, _, errors = run(command, options, pair, ["gone", "gone"])
    if b"cannot be combined" not in errors:
        return False
    assert status == 2, (command, pair, status)
    for name in pair:
        assert b"--" + name.encode() in errors, (command, pair, errors)
    return True


def check(command, options, pool, refused):
    """Print each pair of strong options of which one has no effect."""
    base = ["full"] if command == "report" else []
    pairs = [pair for pair in itertools.combinations(STRONG[command], 2)
             if pair not in refused and pair not in CONTAINED]
    for source in SOURCES[command]:
        outputs = dict(pool.map(
            lambda names: (names, run(command, options, base + list(names),
                                      source)),
            [()] + [(name,) for name in STRONG[command]] + pairs))
        for first, second in pairs:
            alone = [outputs[(first,)], outputs[(second,)]]
            if outputs[()] in alone or 2 in (alone[0][0], alone[1][0]):
                continue
            if outputs[(first, second)] in alone:
                print(f"{command} {source[0]}: --{first} --{second}: "
                      "one is not obeyed")


def main():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for command, options in (("report", REPORT), ("diff", DIFF)):
            pairs = list(itertools.combinations(options, 2))
            refused = {pair for pair, no in zip(pairs, pool.map(
                lambda pair: is_refused(command, options, pair), pairs)) if no}
            for name in options:
                others = [pair[1] for pair in pairs
                          if pair in refused and pair[0] == name]
                if others:
                    print(command, "--" + name + ":", *others)
            check(command, options, pool, refused)


if __name__ == "__main__":
    main()
