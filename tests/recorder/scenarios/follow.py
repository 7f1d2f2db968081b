# SPDX-License-Identifier: Apache-2.0
"""--follow selects the images of a family of processes that leave a ledger.

The family: a child that only forks, one that forks and execs, a spawned one,
and the program itself replaced by exec. Forked children are recorded from
their first allocation.
"""

from harness import scenario, watchdog
from harness.recording import Account
from harness.scenario import equal


def record(place, follow):
    program = [place.victim("family")]
    plain = watchdog.run(program)
    recorded = place.recorder.run(program, [f"--follow={follow}"])
    scenario.same_run(plain, recorded)
    files = place.recorder.child_files()
    equal("blocks of the first image", 1,
          place.recorder.first().column("sites", "in_parent", "blocks_total"))
    reports = [place.recorder.report(file) for file in files]
    return files, Account(reports)


def expect(place, follow, images, in_child, in_image):
    files, account = record(place, follow)
    equal(f"{follow}: ledgers in FILE.d {files}", images, len(files))
    equal(f"{follow}: in_child", in_child,
          account.column("sites", "in_child", "blocks_total"))
    equal(f"{follow}: in_image", in_image,
          account.column("sites", "in_image", "blocks_total"))
    return [file.rsplit("/", 1)[1] for file in files]


def none(place):
    expect(place, "none", 0, 0, 0)


def fork(place):
    names = expect(place, "fork", 2, 2, 0)
    assert all(name.endswith("-0") for name in names), names


def exec_only(place):
    expect(place, "exec", 3, 0, 3)


def everything(place):
    names = expect(place, "all", 5, 2, 3)
    pids = sorted(name.split("-")[0] for name in names)
    # Fork, fork and its exec, spawn, and the second image of the first.
    equal("processes", 4, len(set(pids)))
    equal("second images", 2, sum(name.endswith("-1") for name in names))


scenario.main(none, fork, exec_only, everything)
