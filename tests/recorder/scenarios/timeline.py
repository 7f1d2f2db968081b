# SPDX-License-Identifier: Apache-2.0
"""The ledger holds the totals over time, in a fixed amount of memory."""

import json
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal

BLOCKS, BLOCK_SIZE, LEFT = 100, 65536, 3 * 7


def ebb_and_flow(place):
    outcome = place.recorder.run([place.victim("ebb_and_flow")])
    equal("status", 0, outcome.status)
    report = place.recorder.report(place.recorder.ledger())
    return report["totals"], report["timeline"], report["process"]


def high_water_and_low_are_seen(place):
    totals, timeline, process = ebb_and_flow(place)
    held = [(sample["live_blocks"], sample["live_bytes"])
            for sample in timeline]
    assert (BLOCKS, BLOCKS * BLOCK_SIZE) in held, held
    assert (0, 0) in held, held
    equal("the last", (3, LEFT), held[-1])
    equal("all bytes", totals["bytes_allocated"],
          timeline[-1]["total_bytes"])
    times = [sample["ns"] for sample in timeline]
    equal("order", sorted(set(times)), times)
    equal("the end", process["end_ns"], times[-1])
    assert times[0] >= process["start_ns"], (times[0], process["start_ns"])


def peaks_are_the_highest_samples(place):
    place.recorder.run([place.victim("ebb_and_flow")])
    report = place.recorder.report(place.recorder.ledger())
    equal("peaks", [BLOCKS * BLOCK_SIZE, LEFT],
          sorted((site["peak_bytes_seen"] for site in report["sites"]),
                 reverse=True)[:2])


def a_short_program_has_the_last_one(place):
    place.recorder.run([place.victim("says_hello")])
    report = place.recorder.report(place.recorder.ledger())
    equal("bytes", report["totals"]["leaked_bytes"],
          report["timeline"][-1]["live_bytes"])


def a_running_program_has_one_so_far(place):
    command = place.recorder.command([place.victim("ebb_and_flow")])
    with subprocess.Popen(command, env=watchdog.clean_environment()) as tally:
        try:
            found = []

            def was_seen():
                outcome = watchdog.run([place.recorder.tally, "report",
                                        "--json", str(tally.pid)])
                if outcome.status == 0:
                    found[:] = json.loads(outcome.stdout)["timeline"]
                return any(sample["live_blocks"] == BLOCKS
                           for sample in found)

            scenario.wait_until(was_seen, "a sample", 10)
        finally:
            tally.wait(timeout=30)


def children_have_their_own(place):
    script = "for i in 1 2; do (sleep 0.3; echo $(echo $i)); done"
    outcome = place.recorder.run(["/bin/bash", "-c", script])
    equal("status", 0, outcome.status)
    for path in place.recorder.child_files():
        report = place.recorder.report(path)
        equal(path, report["totals"]["leaked_bytes"],
              report["timeline"][-1]["live_bytes"])


scenario.main(high_water_and_low_are_seen, peaks_are_the_highest_samples,
              a_short_program_has_the_last_one,
              a_running_program_has_one_so_far, children_have_their_own)
