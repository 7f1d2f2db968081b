# SPDX-License-Identifier: Apache-2.0
"""With one thread each peak is exact to the block: the program counts its
stacks itself, with mappings and without."""

import signal

from harness import scenario
from harness.scenario import equal

SHORT = "--sysctl=sysctl.vm.mem_profiling=1,compressed"
WAYS = ("left", "middle", "right")


def counted(output):
    rows = (map(int, line.split()) for line in output.splitlines())
    return {(kind, path): (blocks, size) for kind, path, blocks, size in rows
            if blocks or path < 0}


def path_of(site):
    path = 0
    for frame in site["stack"]:
        if frame["function"] in WAYS:
            path = path * len(WAYS) + WAYS.index(frame["function"])
    return path


def recorded(report):
    found = {}
    for kind, name in enumerate(("sites", "maps")):
        for site in report[name]:
            if site["peak_blocks"]:
                key = kind, path_of(site)
                blocks, size = found.get(key, (0, 0))
                found[key] = (blocks + site["peak_blocks"],
                              size + site["peak_bytes"])
    return found


def added_up(accounts, kind):
    return tuple(sum(row[column] for key, row in accounts.items()
                     if key[0] == kind) for column in (0, 1))


def compare(place, report, output, is_by_stack):
    expected, found = counted(output), recorded(report)
    totals = report["totals"]
    equal("peak with maps", expected.pop((-1, -1))[1],
          totals["peak_with_maps"])
    size = added_up(expected, 0)[1]
    equal("peak", size, totals["peak_bytes"])
    equal("of which is known", size, totals["peak_copied"])
    equal("peak of maps", added_up(expected, 1)[1],
          totals.get("peak_of_maps", 0))
    if is_by_stack:
        equal("other stacks", [], [
            (path, expected.get(path), found.get(path))
            for path in expected.keys() | found.keys()
            if expected.get(path) != found.get(path)][:3])
    else:
        for kind in 0, 1:
            equal("blocks and bytes", added_up(expected, kind),
                  added_up(found, kind))


def run(place, how, *options, status=0):
    outcome = place.recorder.run([place.victim("sawtooth"), how], options)
    equal("status", status, outcome.status)
    return outcome.stdout.decode()


def of(how, *options, status=0):
    def step(place):
        output = run(place, how, *options, status=status)
        compare(place, place.recorder.report(place.recorder.ledger()), output,
                not options)
    step.__name__ = "_".join((how, *options))
    return step


def of_a_child(place):
    output = run(place, "child")
    [ledger] = place.recorder.child_files()
    compare(place, place.recorder.report(ledger), output, True)


HOWS = ("teeth", "deep", "resize", "mixed", "maps")

scenario.main(*(of(how) for how in HOWS),
              *(of(how, "--stacks=caller") for how in HOWS),
              *(of(how, SHORT) for how in HOWS),
              of("killed", status=-signal.SIGKILL), of_a_child)
