# SPDX-License-Identifier: Apache-2.0
"""A recording, as `tally report --json` tells it, and what is always true."""

import json
import os

from bounded_run import Failed, run

MOST = 1 << 62  # a counter above this is a negative one that wrapped
# What could not be recorded. The rest of "lost" is what programs did.
LOSSES = ("lost_allocations", "lost_frees", "lost_sites", "lost_modules",
          "lost_maps", "lost_notices", "unrecorded_forks", "unseen_frees")


def record_command(build, ledger, command):
    return [os.path.join(build, "bin", "tally"), "record", "--quiet", "-o",
            ledger, "--", *command]


def process_images(ledger):
    """The ledger of the first process image, then those of the others."""
    folder = ledger + ".d"
    others = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [ledger] + [os.path.join(folder, name) for name in others]


def load(build, ledger, folder, variables):
    result = run([os.path.join(build, "bin", "tally"), "report", "--json",
                  ledger], folder, variables)
    if result.status != 0 or result.stderr:
        raise Failed(f"tally report --json {ledger} ended with "
                     f"{result.status} and said {result.stderr.decode()!r}")
    try:
        return json.loads(result.stdout)
    except ValueError as error:
        raise Failed(f"{ledger}: the JSON is not valid: {error}") from None


def negative_numbers(value, path="report"):
    """Where in a report numbers are negative, or wrapped below zero."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from negative_numbers(member, f"{path}.{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from negative_numbers(member, f"{path}[{index}]")
    elif isinstance(value, (int, float)) and not 0 <= value < MOST:
        yield f"{path} is {value}"


def untruths(report):
    """What contradicts itself in the report of a program that has ended."""
    yield from negative_numbers(report)
    totals = report["totals"]
    sites = report["sites"]
    for name, column in (("allocations", "blocks_total"),
                         ("bytes_allocated", "bytes_total"),
                         ("leaked_blocks", "blocks_live"),
                         ("leaked_bytes", "bytes_live")):
        total = sum(site[column] for site in sites)
        if total != totals[name]:
            yield f"{name} is {totals[name]}, but its sites add up to {total}"
    live = (totals["allocations"] + totals["blocks_inherited"] -
            totals["frees"])
    if live != totals["leaked_blocks"]:
        yield (f"{totals['allocations']} allocations, "
               f"{totals['blocks_inherited']} inherited and "
               f"{totals['frees']} frees leave {live} blocks, not "
               f"{totals['leaked_blocks']}")
    for name in LOSSES:
        if report["lost"][name] != 0:
            yield f"lost.{name} is {report['lost'][name]}"


def check(build, ledger, folder, variables):
    """Every image must be readable and true; returns the reports."""
    if not os.path.exists(ledger):
        raise Failed("no ledger was written")
    reports = []
    for image in process_images(ledger):
        report = load(build, image, folder, variables)
        found = list(untruths(report))
        if found:
            program = report["process"]["program"]
            raise Failed(f"{os.path.basename(image)} of {program}:\n  " +
                         "\n  ".join(found[:20]))
        reports.append(report)
    if reports[0]["totals"]["allocations"] == 0:
        raise Failed("the recording has no allocations")
    return reports
