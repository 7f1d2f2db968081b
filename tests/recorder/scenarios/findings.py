# SPDX-License-Identifier: Apache-2.0
"""The first screen names each problem and its call site, and no other."""

import json
import os

from harness import scenario, watchdog
from harness.scenario import equal

GUILTY = {"leak": "open_session", "growth": "cache_entry", "spike": "sort_all",
          "churn": "format_line", "realloc": "append",
          "small": "tree_node", "slack": "page_piece", "untouched": "buffer",
          "leaks": "open_file", "late": "cache_entry", "flight": "format_line",
          "steady": "open_session", "kept_steady": "open_session"}
KINDS = {"leaks": "leak", "late": "growth", "flight": "churn",
         "steady": "leak", "kept_steady": "leak"}


def screen_of(place, part):
    ledger = os.path.join(place.folder, part)
    outcome = watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger,
                            "--force", "--", place.victim("findings"), part])
    equal(f"status of {part}", 0, outcome.status)
    outcome = watchdog.run([place.recorder.tally, "report", ledger],
                           environment={"COLUMNS": "80"})
    equal("status", 0, outcome.status)
    lines = outcome.stdout.decode().splitlines()
    assert len(lines) <= 24, outcome.stdout
    assert max(map(len, lines)) <= 80, outcome.stdout
    return lines


def findings_of(lines):
    found = lines[lines.index("Findings") + 1:]
    return [line.split() for line in found[:found.index("")]]


def is_named(part, found):
    start, _, end = found.get(KINDS.get(part, part), "-").partition("...")
    return GUILTY[part].startswith(start) and GUILTY[part].endswith(end)


def each_problem_is_named(place):
    """Run again, once or twice: a busy machine may leave no time to look at
    pages."""
    for part in GUILTY:
        for _ in range(3):
            lines = screen_of(place, part)
            found = {words[0]: words[1] for words in findings_of(lines)}
            if is_named(part, found):
                break
        assert is_named(part, found), "\n".join(lines)
        others = set(found) - {KINDS.get(part, part), *ALSO.get(part, ())}
        equal(f"beside {part}", set(), others)


def a_leak_is_summed(place):
    """Test the sum over two call sites, 300 blocks of 1 KiB and of 2 KiB."""
    words = findings_of(screen_of(place, "leaks"))[0]
    equal("leak", "and 1 more: 900.0 KiB in 600 blocks; --leaks".split(),
          words[-9:])


# True findings of the same program besides.
ALSO = {"slack": ("spike",), "steady": ("growth",),
        "kept_steady": ("growth",)}


def a_clean_program_has_none(place):
    found = findings_of(screen_of(place, "clean"))
    equal("findings", "none:", found[0][0])


def memory_of_the_start_is_no_leak(place):
    """Run again: a busy machine may look too seldom to know when the memory
    was allocated."""
    for _ in range(3):
        found = findings_of(screen_of(place, "setup"))
        if found[0][0] == "none:":
            break
    equal("setup", "none:", found[0][0])


def single_blocks_are_no_leak(place):
    """Test 120 KiB in 12 blocks of one function, more than the limits."""
    found = findings_of(screen_of(place, "once"))
    equal("once", "none:", found[0][0])


def a_short_run_that_frees_nothing_is_not_judged(place):
    """Test a leak beside 40 stacks that hold their block to the end."""
    lines = [" ".join(words) for words in findings_of(screen_of(place, "kept"))]
    equal("kept", ["none; not judged: leak (ends without freeing)"], lines)


def reallocs_are_shown(place):
    """Test the number of resizes and their growth, which samples lack."""
    for name, stacks, status in (("exact", "all", 0), ("by_call", "caller", 0),
                                 ("samples", "sampled", 2)):
        ledger = place.file(name)
        watchdog.run([place.recorder.tally, "record", "-q", "-o", ledger,
                      "--stacks=" + stacks, "--", place.victim("findings"),
                      "realloc"])
        outcome = watchdog.run([place.recorder.tally, "report", "--reallocs",
                                ledger])
        equal(f"status of {name}", status, outcome.status)
        if status == 0:
            rows = [line.split() for line in
                    outcome.stdout.decode().splitlines() if "append" in line]
            equal(name, ["1,999", "127,936", "2,000", "128,064,000"],
                  rows[0][:4])
        else:
            assert b"no realloc counts" in outcome.stderr, outcome.stderr


def says_how_it_ended(place):
    """Test the status of the image at the end, which replaced another by
    exec."""
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

    equal("exit", ("exited with status 3", 3, None), ends("exit 3", "exit"))
    equal("killed", ("killed by SIGSEGV", None, 11),
          ends("kill -SEGV $$", "killed"))
    equal("real time", ("killed by signal 40", None, 40),
          ends("kill -40 $$", "real_time"))
    equal("exec", ("ended", None, None), ends("exec sh -c 'exit 4'", "exec"))
    [image] = os.listdir(os.path.join(place.folder, "exec.d"))
    outcome = watchdog.run([place.recorder.tally, "report",
                            os.path.join(place.folder, "exec.d", image)])
    assert b"exited with status 4 after" in outcome.stdout, outcome.stdout


scenario.main(each_problem_is_named, a_leak_is_summed,
              a_clean_program_has_none, memory_of_the_start_is_no_leak,
              single_blocks_are_no_leak,
              a_short_run_that_frees_nothing_is_not_judged,
              reallocs_are_shown, says_how_it_ended)
