# SPDX-License-Identifier: Apache-2.0
"""tally record --snapshot-every, --snapshot-on and --snapshot-at."""

import json
import os
import signal
import subprocess
import time

from harness import scenario, watchdog
from harness.scenario import equal
from harness.steps import Steps


def wait_for(path):
    scenario.wait_until(lambda: os.path.exists(path), path)


def live(steps, name):
    return steps.rows(steps.file + name)["first"]["blocks_live"]


def each_so_often(place):
    with Steps(place, "--snapshot-every=100ms") as steps:
        scenario.write_file(steps.file + ".2", "mine\n")
        steps.do("a")
        wait_for(steps.file + ".1")
        wait_for(steps.file + ".3")
        steps.do("a")
        begun = len(os.listdir(place.folder))
        wait_for(f"{steps.file}.{begun + 1}")
        equal("later", 200, live(steps, f".{begun + 1}"))
        steps.do("e")
        equal("status", 4, steps.tally.wait(timeout=30))
        equal("at the end", 200, live(steps, ""))
        equal("not overwritten", "mine\n",
              scenario.read_file(steps.file + ".2"))


def when_asked(place):
    with Steps(place, "--snapshot-on=SIGUSR2") as steps:
        steps.do("a")
        os.kill(steps.tally.pid, signal.SIGUSR2)
        wait_for(steps.file + ".1")
        steps.do("f")  # the signal did not hit it
        os.kill(steps.tally.pid, signal.SIGUSR2)
        wait_for(steps.file + ".2")
        equal("live", (100, 70), (live(steps, ".1"), live(steps, ".2")))
        # Other signals still go to the program.
        os.kill(steps.tally.pid, signal.SIGUSR1)
        equal("status", -signal.SIGUSR1, steps.tally.wait(timeout=30))


def with_who_pins_pages(place):
    with Steps(place, "--snapshot-on=SIGUSR2", "--snapshot-resident") as steps:
        steps.do("a")
        os.kill(steps.tally.pid, signal.SIGUSR2)
        wait_for(steps.file + ".1")
        shown = watchdog.run([place.recorder.tally, "report", "--resident",
                              "--json", steps.file + ".1"])
        equal("status", (0, ""), (shown.status, shown.stderr.decode()))
        used = json.loads(shown.stdout)["residency"]["used_bytes"]
        assert used >= 100 * 1000, used
        steps.do("e")


def of_what_it_becomes(place):
    """Test that the first image, a shell, is not asked for: its program is."""
    name = place.file("shell")
    tally = subprocess.Popen(
        [place.recorder.tally, "record", "-o", name, "--snapshot-on=SIGUSR1",
         "--", "/bin/sh", "-c", 'exec "$0"', place.victim("steps")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal("begins", b".", tally.stdout.read(1))
    tally.stdin.write(b"a")
    tally.stdin.flush()
    equal("goes on", b".", tally.stdout.read(1))
    tally.send_signal(signal.SIGUSR1)
    wait_for(name + ".1")
    said = tally.communicate(b"e", timeout=30)[1].decode()
    assert f"1 snapshot, the last in {name}.1\n" in said, said
    account = place.recorder.first("shell.1")
    equal("live", 100, account.column("sites", "first", "blocks_live"))


def once_it_holds_so_much(place):
    with Steps(place, "--snapshot-at=150000") as steps:
        steps.do("a")
        # The bytes fall again before a reader can look.
        steps.do("affffff")
        wait_for(steps.file + ".1")
        report = place.recorder.report(steps.file + ".1")
        peak = report["totals"]["peak_bytes"]
        assert peak >= 200000, peak
        steps.do("aaae")
        steps.tally.wait(timeout=30)
        equal("files", ["steps.tally", "steps.tally.1"],
              sorted(os.listdir(place.folder)))


def no_room(place):
    small = place.file("small")
    os.mkdir(small)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small],
                      stderr=subprocess.PIPE, check=False).returncode != 0:
        raise scenario.Skip("no tmpfs can be mounted; run it as root")
    try:
        with Steps(place, "-o", small + "/x",
                   "--snapshot-every=100ms") as steps:
            wait_for(small + "/x.1")
            with open(small + "/filler", "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
            before = sorted(os.listdir(small))
            steps.do("a")
            time.sleep(0.3)  # two more are tried
            equal("no new one", before, sorted(os.listdir(small)))
            os.remove(small + "/filler")
            steps.do("e")
            said = steps.tally.communicate(timeout=30)[1].decode()
            equal("lines", 1, len(said.splitlines()))
            assert "No space left on device" in said and "in all" in said, said
            equal("at the end", 100, place.recorder.report(small + "/x")
                  ["sites"][0]["blocks_live"])
    finally:
        subprocess.run(["umount", small], check=True)


def refused(place):
    for option in ("every=0", "every=10x", "every=99ms", "every=1w", "at=0",
                   "at=x", "on=SIGKILL", "on="):
        outcome = place.recorder.run(["/bin/true"], ["--snapshot-" + option])
        equal(option, 2, outcome.status)
        equal(option, 1, len(outcome.stderr.decode().splitlines()))
    for options in ([], ["--snapshot-every=1s", "--stacks=sampled"]):
        outcome = place.recorder.run(["/bin/true"],
                                     ["--snapshot-resident", *options])
        equal("status", 2, outcome.status)
        equal(options, 1, len(outcome.stderr.decode().splitlines()))


scenario.main(each_so_often, when_asked, with_who_pins_pages,
              of_what_it_becomes, once_it_holds_so_much, no_room, refused)
