# SPDX-License-Identifier: Apache-2.0
"""Each process image has a ledger, or is counted: no failing system call loses
one silently.

The n-th call of each process but the first fails, for every n. strace reports
the images; forked children report their allocations. Failures of the loader
itself are left out: it reports them.
"""

import json
import os
import re
import shutil

from harness import scenario, watchdog
from harness.scenario import equal

CALLS = {"mmap": 32, "openat": 10, "mremap": 3, "madvise": 6, "newfstatat": 4,
         "fstat": 3, "pread64": 5, "ftruncate": 1, "memfd_create": 1}
LOADER = re.compile(rb"^ERROR: ld\.so|while loading shared libraries", re.M)


def count_images(log):
    """Return successful execs, the first one included."""
    return len(re.findall(r"^\d+ +(?:<... )?execve(?:at)?.* = 0$",
                          scenario.read_file(log), re.M)) + 1


def unrecorded(account):
    return account.lost("unrecorded_images") + account.lost("unrecorded_forks")


def needs_strace():
    if shutil.which("strace") is None:
        raise scenario.Skip("no strace; scripts/install-deps test")


def try_one(place, call, injected, name):
    """Return images that are not recorded, and those that are counted."""
    needs_strace()
    log = place.file(name + ".log")
    outcome = place.recorder.run(
        ["/usr/bin/strace", "-f", "-qq", "-o", log, "-e",
         f"trace=execve,execveat{call}", *injected,
         place.victim("many_images")],
        name=name)
    assert not outcome.hung, f"{injected}: it hangs"
    first = place.recorder.first(name)
    children = place.recorder.children(name)
    counted = unrecorded(first) + children.lost("unrecorded_forks")
    equal(f"{injected}: what the other images say of it",
          [first.lost("unrecorded_images")] * len(children.reports),
          [report["lost"]["unrecorded_images"] for report in children.reports])
    forked = sum(report["process"]["forked"] for report in children.reports)
    # One more file is opened if there is something to report.
    there = count_images(log) + max(outcome.stdout.count(b"C"), forked)
    missing = there - 1 - len(children.reports) - counted
    # The notice does not blame another user for a lack of room.
    if "mmap" in call or "mremap" in call:
        equal(f"{injected}: forks that did not reach it", 0,
              first.lost("unrecorded_forks") +
              children.lost("unrecorded_forks"))
    if LOADER.search(outcome.stderr):
        missing = 0  # the recorder is not in there, nor is what could count
    return missing, counted


def nothing_fails(place):
    equal("missing and counted", (0, 0), try_one(place, "", [], "ledger"))
    equal("ledgers", 6, len(place.recorder.child_files()))


def fail_each(place, call, begin=1):
    wrong = {}
    seen = 0
    for number in range(begin, CALLS[call] + 1):
        missing, counted = try_one(
            place, "," + call,
            ["-e", f"inject={call}:error=ENOMEM:when={number}"],
            f"{call}{number}")
        seen += counted
        if missing != 0:
            wrong[number] = missing
    equal(f"images in no account, by the {call} that fails", {}, wrong)
    return seen


def maps_fail(place):
    assert fail_each(place, "mmap") >= 20, "too little was lost; not tried"


def every_report_says_so(place):
    """Test that each report says so: the images' own, and that of the
    recording, which counts each once."""
    for number in range(8, CALLS["mmap"] + 1):
        missing, counted = try_one(
            place, ",mmap", ["-e", f"inject=mmap:error=ENOMEM:when={number}"],
            f"said{number}")
        ledger = place.recorder.ledger(f"said{number}")
        count = place.recorder.first(f"said{number}").lost("unrecorded_images")
        files = [ledger, *place.recorder.child_files(f"said{number}")]
        if count > 0 and len(files) > 2:
            break
    assert count > 0 and len(files) > 2, f"{count} of {files}: not tried"
    said = "1 process image not recorded: out of memory" \
        if count == 1 else f"{count} process images not recorded"
    for arguments in [["--all", ledger], *[[file] for file in files]]:
        report = watchdog.run([place.recorder.tally, "report", "--full",
                               *arguments])
        assert said in " ".join(report.stdout.decode().split()), report.stdout
        report = watchdog.run([place.recorder.tally, "report", "--json",
                               *arguments])
        equal(f"--json {arguments}", count,
              json.loads(report.stdout)["lost"]["unrecorded_images"])


def files_do_not_open(place):
    assert fail_each(place, "openat") >= 3, "too little was lost; not tried"


def other_calls_fail(place):
    # If the first madvise fails, forked children cannot be told from their
    # parent.
    for call in CALLS:
        if call not in ("mmap", "openat"):
            fail_each(place, call, 2 if call == "madvise" else 1)


def little_address_space(place):
    """Test room for a program alone: it runs unrecorded, and is named."""
    hello = place.victim("says_hello")
    started = 0
    for room in (2500, 3000, 3500, 4000, 8000, 16000, 17000, 40000):
        command = ["/bin/sh", "-c", f"ulimit -v {room}; {hello}; {hello};"
                   " exit 5"]
        name = f"room{room}"
        plain = watchdog.run(command)
        recorded = place.recorder.run(command, name=name)
        scenario.same_run(plain, recorded)
        first = place.recorder.first(name)
        named = first.notices().get("child_little_room", 0) + \
            place.recorder.children(name).notices().get("child_little_room", 0)
        equal(f"ledgers, counted and named with {room} KiB", 2,
              len(place.recorder.child_files(name)) + unrecorded(first) + named)
        started += named if plain.stdout.count(b"hello") == 2 else 0
    assert started >= 6, "no program started in so little room; not tried"


def killed_as_they_begin(place):
    """Test that they are counted too, in a sentence without "could not"."""
    hello = place.victim("says_hello")
    needs_strace()
    outcome = place.recorder.run(
        ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-P", hello, "-e",
         "trace=execve", "-e", "inject=execve:signal=SIGKILL",
         "/bin/sh", "-c", f"{hello}; {hello}; exit 5"], name="killed")
    equal("status and output", (5, b""), (outcome.status, outcome.stdout))
    equal("counted", 2,
          place.recorder.first("killed").lost("unrecorded_images"))
    shown = watchdog.run([place.recorder.tally, "report", "--full",
                          place.recorder.ledger("killed")])
    said = "2 process images not recorded: out of memory (see --most), " \
        "address space or descriptors, or killed or left running at their start"
    assert said in shown.stdout.decode(), shown.stdout.decode()[-2000:]


scenario.main(nothing_fails, maps_fail, every_report_says_so,
              files_do_not_open, other_calls_fail, little_address_space,
              killed_as_they_begin)
