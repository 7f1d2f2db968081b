# SPDX-License-Identifier: Apache-2.0
"""The first screen names each problem and the call to blame, and no other."""

import json
import os

from harness import scenario, watchdog
from harness.scenario import equal

GUILTY = {"leak": "open_session", "growth": "cache_entry", "spike": "sort_all",
          "churn": "format_line", "small": "tree_node", "slack": None,
          "untouched": None}


def screen_of(place, part):
    ledger = os.path.join(place.folder, part)
    outcome = watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger,
                            "--", place.victim("findings"), part])
    equal(f"status of {part}", 0, outcome.status)
    outcome = watchdog.run([place.recorder.tally, "report", ledger])
    equal("status", 0, outcome.status)
    lines = outcome.stdout.decode().splitlines()
    assert len(lines) <= 24, outcome.stdout
    assert max(map(len, lines)) <= 80, outcome.stdout
    return lines


def findings_of(lines):
    found = lines[lines.index("Findings") + 1:]
    return [line.split() for line in found[:found.index("")]]


def each_problem_is_named(place):
    for part, function in GUILTY.items():
        lines = screen_of(place, part)
        found = {words[0]: words[1] for words in findings_of(lines)}
        assert part in found, "\n".join(lines)
        if function is not None:
            equal(part, function, found[part])
        others = set(found) - {part, *ALSO.get(part, ())}
        equal(f"beside {part}", set(), others)


# What the same program rightly has besides.
ALSO = {"slack": ("spike",)}


def a_clean_program_has_none(place):
    found = findings_of(screen_of(place, "clean"))
    equal("findings", "none:", found[0][0])


def says_how_it_ended(place):
    """Of the image that was there at the end; another became it by exec."""
    def ends(script, name):
        ledger = os.path.join(place.folder, name)
        watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger, "--",
                      "/bin/sh", "-c", script])
        shown = watchdog.run([place.recorder.tally, "report", ledger])
        process = json.loads(watchdog.run(
            [place.recorder.tally, "report", "--json", ledger]).stdout)
        line = shown.stdout.decode().splitlines()[1].split(", ", 1)[1]
        return (line.split(" after ")[0],
                process["process"].get("exit_status"),
                process["process"].get("signal"))

    equal("exit", ("ended with status 3", 3, None), ends("exit 3", "exit"))
    equal("killed", ("killed by SIGSEGV", None, 11),
          ends("kill -SEGV $$", "killed"))
    equal("real time", ("killed by signal 40", None, 40),
          ends("kill -40 $$", "real_time"))
    equal("exec", ("ended", None, None), ends("exec sh -c 'exit 4'", "exec"))
    [image] = os.listdir(os.path.join(place.folder, "exec.d"))
    outcome = watchdog.run([place.recorder.tally, "report",
                            os.path.join(place.folder, "exec.d", image)])
    assert b"ended with status 4 after" in outcome.stdout, outcome.stdout


scenario.main(each_problem_is_named, a_clean_program_has_none,
              says_how_it_ended)
