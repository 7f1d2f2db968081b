# SPDX-License-Identifier: Apache-2.0
"""Live bytes of each stack at any time, as the program itself prints them."""

import os
import signal
import time

from harness import scenario, stack_tables, watchdog
from harness.scenario import equal
from harness.steps import Steps

NAMES = ("north", "south")
SIZE = 1000


def record(place):
    outcome = place.recorder.run([place.victim("phases")])
    equal("status", 0, outcome.status)
    report = place.recorder.report(place.recorder.ledger())
    phases = [list(map(int, line.split()))
              for line in outcome.stdout.decode().splitlines()]
    return report, phases


def record_all(place):
    """Record until each phase has a data point: a busy machine may miss
    one."""
    for _ in range(5):
        report, phases = record(place)
        instants = [instant + report["process"]["start_ns"]
                    for instant in report["history"]["instants"]]
        if all(any(begin < instant < end for instant in instants)
               for begin, end, *_ in phases):
            return report, phases
        os.remove(place.recorder.ledger())
    raise AssertionError("no recording has an instant of each phase")


def ask(place, *options):
    outcome = watchdog.run([place.recorder.tally, "report", "--json",
                            place.recorder.sysroot, *options,
                            place.recorder.ledger()])
    assert outcome.status == 0, outcome.stderr.decode()
    return stack_tables.loads(outcome.stdout)


def function_of(row):
    return row["stack"][0]["function"]


def blocks_of(report):
    return [sum(row["blocks_live"] for row in report["sites"]
                if function_of(row) == name) for name in NAMES]


def each_phase_is_as_it_was(place):
    report, phases = record_all(place)
    start = report["process"]["start_ns"]
    held = []
    for begin, end, *wanted in phases:
        seen = min((abs((begin + end) / 2 - start - instant), instant)
                   for instant in report["history"]["instants"])[1]
        found = ask(place, f"--at={(seen + 1000) / 1e9:.6f}s")
        at = found["history"]["instants"][found["history"]["at"]] + start
        assert begin < at < end, (begin, at, end)
        equal("blocks", wanted, blocks_of(found))
        equal("bytes", sum(wanted) * SIZE,
              sum(row["bytes_live"] for row in found["sites"]
                  if function_of(row) in NAMES))
        held.append((f"{(at - start) / 1e9:.9f}s", wanted))
    check_growth(place, held)
    check_series(report, phases)


def check_growth(place, held):
    """Test stacks that had gone in between and come back."""
    for first, last in ((0, 1), (1, 2), (2, 4)):
        found = ask(place, f"--between={held[first][0]},{held[last][0]}")
        rows = {row["function"]: row for row in found["rows"]}
        equal(f"growth from {first} to {last}",
              [after - before for before, after in zip(held[first][1],
                                                       held[last][1])],
              [rows[name]["blocks_growth"] for name in NAMES])
    found = ask(place, f"--between={held[2][0]},{held[3][0]}")["between"]
    equal("freed", 5 + 899, found["blocks_freed"])
    equal("allocated", 0, found["blocks_allocated"])


def check_series(report, phases):
    start, history = report["process"]["start_ns"], report["history"]
    instants, checked = history["instants"], 0
    series = {function_of(report["sites"][row["site"]]): row
              for row in history["sites"]}
    equal("order", sorted(set(instants)), instants)
    for begin, end, *wanted in phases:
        for i, instant in enumerate(instants):
            if begin < instant + start < end:
                equal(f"at {instant}", wanted,
                      [series[name]["live_blocks"][i] for name in NAMES])
                checked += 1
    assert checked >= len(phases), (instants, phases)
    equal("the end", [row["blocks_live"] for row in report["sites"]],
          [row["live_blocks"][-1] for row in history["sites"]])
    highest = max(range(len(instants)), key=lambda i: sum(
        row["live_bytes"][i] for row in history["sites"]))
    assert phases[2][0] < instants[highest] + start < phases[2][1], highest


def samples_have_a_history_too(place):
    outcome = place.recorder.run([place.victim("phases")],
                                 ["--force", "--stacks=sampled",
                                  "--interval=64"])
    equal("status", 0, outcome.status)
    begin, end, *wanted = map(int,
                              outcome.stdout.decode().splitlines()[2].split())
    found = ask(place, "--at=peak")
    at = (found["history"]["instants"][found["history"]["at"]] +
          found["process"]["start_ns"])
    assert begin < at < end, (begin, at, end)
    for name, blocks in zip(NAMES, wanted):
        row, = (row for row in found["sites"] if function_of(row) == name)
        low, high = row["intervals"]["bytes_live"]
        assert low <= blocks * SIZE <= high, (name, blocks, row)
        assert high - low < blocks * SIZE, (name, row)


def asked_while_it_runs(place):
    """Test a process, and a snapshot of it."""
    with Steps(place) as steps:
        steps.do("a")

        def held():
            shown = watchdog.run([place.recorder.tally, "report", "--json",
                                  "--at=end", steps.pid])
            sites = (stack_tables.loads(shown.stdout)["sites"]
                     if shown.status == 0 else [])
            return sum(row["blocks_live"] for row in sites
                       if function_of(row) == "first")

        for blocks in (100, 200):
            scenario.wait_until(lambda: held() == blocks, f"{blocks} blocks")
            if blocks == 100:
                before = time.time_ns()
                steps.do("a")
        os.kill(steps.tally.pid, signal.SIGKILL)
        steps.run("snapshot", "-o", steps.file, steps.pid)
        for source in (steps.pid, steps.file):
            rows = steps.rows("--at=peak", source)
            equal(source, 200, rows["first"]["blocks_live"])
            report = stack_tables.loads(
                steps.run("report", "--json", source).stdout)
            last = max(instant for instant in report["history"]["instants"]
                       if instant + report["process"]["start_ns"] < before)
            rows = steps.rows(f"--at={(last + 1000) / 1e9:.6f}s", source)
            equal(source, 100, rows["first"]["blocks_live"])


scenario.main(each_phase_is_as_it_was, samples_have_a_history_too,
              asked_while_it_runs)

