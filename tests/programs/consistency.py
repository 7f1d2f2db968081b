# SPDX-License-Identifier: Apache-2.0
"""Facts that hold for every report of a program that has exited."""

import os

MOST = 1 << 62  # a counter above this is a negative one that wrapped
# Counts of lost records. The rest of "lost" is the program's doing.
LOSSES = ("lost_allocations", "lost_frees", "lost_sites", "lost_modules",
          "lost_maps", "lost_notices", "unrecorded_forks", "unseen_frees")
SUMS = (("allocations", "blocks_total"), ("bytes_allocated", "bytes_total"),
        ("leaked_blocks", "blocks_live"), ("leaked_bytes", "bytes_live"))


# Untouched blocks are live and not resident.
MAY_BE_NEGATIVE = ("allocator_slack", "unexplained")


def negative_numbers(value, path):
    """Yield the places of negative numbers, also wrapped ones."""
    if isinstance(value, dict):
        for name, member in value.items():
            if ".resident" in path and name in MAY_BE_NEGATIVE:
                continue
            yield from negative_numbers(member, f"{path}.{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from negative_numbers(member, f"{path}[{index}]")
    elif isinstance(value, (int, float)) and not 0 <= value < MOST:
        yield f"{path}: {value}"


def cut_in_the_program(report):
    """Yield truncated stacks within the program's own code."""
    program = os.path.realpath(report["process"]["program"])
    for site in report["sites"]:
        outermost = site["stack"][-1] if site["stack"] else {}
        if site["truncated"] and outermost.get("module") is not None and \
                os.path.realpath(outermost["module"]) == program:
            yield f"{program}: truncated at {outermost['function']}, " \
                f"{outermost['address']}"


def problems(report):
    """Yield each contradiction within the report of one image."""
    program = report["process"]["program"]
    yield from negative_numbers(report, program)
    totals = report["totals"]
    for name, column in SUMS:
        total = sum(site[column] for site in report["sites"])
        if total != totals[name]:
            yield f"{program}: {name} is {totals[name]}, but its sites add " \
                f"up to {total}"
    live = totals["allocations"] + totals["blocks_inherited"] - \
        totals["frees"]
    if live != totals["leaked_blocks"]:
        yield f"{program}: allocations {totals['allocations']}, inherited " \
            f"{totals['blocks_inherited']} and frees {totals['frees']} " \
            f"leave {live} blocks, not {totals['leaked_blocks']}"
    for name in LOSSES:
        if report["lost"][name] != 0:
            yield f"{program}: lost.{name}: {report['lost'][name]}"
