# SPDX-License-Identifier: Apache-2.0
"""tally record --blackbox: files on disk when all processes are killed
together.

Redis without a limit of its own runs in a control group of 256 MiB, which is
killed as a whole: three times, with TALLY_SOAK a hundred times. Needs root and
a memory controller of cgroup v1.

This file is long because each way to get a copy has a step of its own.
"""

import contextlib
import glob
import json
import os
import re
import signal
import socket
import subprocess
import time

from harness import attached_program, scenario, watchdog
from harness.scenario import at_most, equal
from harness.steps import Steps

MEMORY = "/sys/fs/cgroup/memory"
LIMIT = 256 << 20


class Group:
    """A memory control group whose processes are all killed when one is."""

    def __init__(self):
        own = [line.rstrip("\n").split(":", 2)[2] for line in
               open("/proc/self/cgroup", encoding="ascii")
               if line.split(":")[1] == "memory"]
        self.path = f"{MEMORY}{own[0] if own else ''}/tally.{os.getpid()}"
        try:
            os.mkdir(self.path)
            self.write("memory.limit_in_bytes", LIMIT)
        except OSError as why:
            raise scenario.Skip(f"no group of memory can be made ({why}); "
                                "run it as root with cgroup v1") from why

    def write(self, name, value):
        scenario.write_file(f"{self.path}/{name}", f"{value}\n")

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def has_killed(self):
        return "oom_kill 0" not in scenario.read_file(
            f"{self.path}/memory.oom_control")

    def kill(self):
        for pid in scenario.read_file(f"{self.path}/cgroup.procs").split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def close(self):
        def is_removed():
            self.kill()
            try:
                os.rmdir(self.path)
            except OSError:
                return False
            return True
        scenario.wait_until(is_removed, "the end of the group")


def folder(place, name="kept"):
    path = place.file(name)
    os.makedirs(path, exist_ok=True)
    return path


def copies(path):
    return sorted(glob.glob(f"{path}/*.tally"))


def near_a_limit(path):
    """Return copies made near a limit. A keeper that outlives the program for
    a moment writes PROGRAM.PID.tally too."""
    return glob.glob(f"{path}/*.*T*.tally")


def report(place, path):
    outcome = watchdog.run([place.recorder.tally, "report", "--json", path])
    equal(f"status of report {path}: {outcome.stderr.decode()}", 0,
          outcome.status)
    return json.loads(outcome.stdout)


def answers(path):
    """Return True if the socket accepts: it has its name earlier."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path) == 0


def feed(path, group):
    """Send SETs until something is killed."""
    client = subprocess.Popen(
        ["redis-benchmark", "-s", path, "-t", "set", "-n", "100000000", "-r",
         "100000000", "-d", "1000", "-P", "16", "-q"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        scenario.wait_until(group.has_killed, "the kill", 60)
        group.kill()
    finally:
        client.kill()
        client.wait()


def die_together(place):
    """Kill all together; return the used share of the limit at each new
    copy."""
    path, name = folder(place), place.file("socket")
    group = Group()
    try:
        tally = subprocess.Popen(
            [place.recorder.tally, "record", "-q", "-o", place.file("ledger"),
             "-f", "--blackbox=16M", f"--keep={path}", "--", "redis-server",
             "--save", "", "--port", "0", "--unixsocket", name],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=group.enter, env=watchdog.clean_environment())
        scenario.wait_until(lambda: answers(name), "redis", 60)
        before = near_a_limit(path)
        at_most("copies kept", 5, len(before))
        feed(name, group)
        equal("tally record is killed, too", -signal.SIGKILL, tally.wait(30))
    finally:
        group.close()
        if os.path.exists(name):
            os.remove(name)
    # Removing a group takes memory too.
    at_most("copies until the next run", 5 + 3, len(near_a_limit(path)))
    equal("nothing but copies", [os.path.basename(p) for p in copies(path)],
          sorted(os.listdir(path)))
    shares = []
    for copy in set(near_a_limit(path)) - set(before):
        folded = watchdog.run([place.recorder.tally, "export", "--to",
                               "folded", copy])
        stacks = dict(line.rsplit(" ", 1)
                      for line in folded.stdout.decode().splitlines())
        held = sum(map(int, stacks.values()))
        assert held > 100 << 20, held
        equal("the path of SET is named", True,
              any("setCommand" in stack for stack in stacks))
        events = report(place, copy)["events"]
        equal("its limit", LIMIT, events["limit_bytes"])
        shares.append(events["limit_used_bytes"] / LIMIT)
    return shares


def killed_together(place):
    if not all(os.path.exists(f"/usr/bin/redis-{part}")
               for part in ("server", "benchmark")):
        raise scenario.Skip("no redis; scripts/install-deps test")
    for number in range(100 if os.environ.get("TALLY_SOAK") else 3):
        shares = die_together(place)
        assert max(shares) >= 0.9, (number, shares)


def grown(place, path, *limits, options=(), program=None):
    return subprocess.Popen(
        [place.recorder.tally, "record", "-o", place.file("ledger"), "-f",
         "--blackbox=16M", f"--keep={path}", *options, "--",
         *(program or [place.victim("grows")]), *limits],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=watchdog.clean_environment(), start_new_session=True)


def near_its_address_space(place):
    """Test for a copy at each share, and one when a request is refused."""
    path = folder(place)
    tally = grown(place, path, "400", "300")
    equal("it", b"refused\n", tally.stdout.readline())
    scenario.wait_until(lambda: len(copies(path)) >= 1, "a copy")
    time.sleep(0.1)
    said = tally.communicate(b"\n", timeout=30)[1].decode()
    assert "memory ran low: " in said and copies(path)[-1] in said, said
    last = report(place, copies(path)[-1])
    assert last["totals"]["peak_bytes"] > 200 << 20, last["totals"]
    assert last["events"]["kept"] >= 200, last["events"]
    decoded = watchdog.run([place.recorder.tally, "decode", copies(path)[-1]])
    equal("decode", (0, b""), (decoded.status, decoded.stderr))
    equal("lines", last["events"]["kept"], len(decoded.stdout.splitlines()))
    assert report(place, place.file("ledger"))["events"]["kept"] > 0


def near_its_own_limit(place):
    """Test 80 % of limits_set_global(), far from any other limit."""
    path = folder(place)
    tally = grown(place, path, "85", "0", "100")
    equal("it", b"grown\n", tally.stdout.readline())
    scenario.wait_until(lambda: len(copies(path)) >= 1, "a copy")
    said = tally.communicate(b"\n", timeout=30)[1].decode()
    assert "memory ran low: 1 copy, the last at 8" in said, said
    assert "% of 100.0 MiB in " in said, said
    copied = report(place, copies(path)[0])
    held = copied["totals"]["peak_bytes"]
    assert 80 << 20 <= held <= 86 << 20, held
    equal("limit", 100 << 20, copied["events"]["limit_bytes"])
    used = copied["events"]["limit_used_bytes"]
    assert 80 << 20 <= used <= 86 << 20, used
    screen = watchdog.run([place.recorder.tally, "report", copies(path)[0]])
    assert re.search(r"\n  memory     8\d % of the limit of 100.0 MiB at "
                     r"the time of this copy\n", screen.stdout.decode()), screen


def of_what_runs_on(place):
    """Test 80 % of the limit of a child whose parent has ended."""
    path = folder(place)
    tally = grown(place, path, program=[
        "sh", "-c",
        f"exec 3<&0; {place.victim('grows')} 85 0 100 <&3 & exit 0"],
        options=["--snapshot-on=SIGUSR2"])
    equal("it", b"grown\n", tally.stdout.readline())
    scenario.wait_until(lambda: len(copies(path)) == 1, "a copy")
    held = report(place, copies(path)[0])["totals"]["peak_bytes"]
    assert 80 << 20 <= held <= 86 << 20, held
    os.kill(tally.pid, signal.SIGUSR2)
    scenario.wait_until(lambda: len(copies(path)) == 2, "one that is asked for")
    held = report(place, copies(path)[1])["totals"]["peak_bytes"]
    assert 85 << 20 <= held <= 86 << 20, held
    tally.communicate(b"\n", timeout=30)


def snapshot(place, *arguments):
    return watchdog.run([place.recorder.tally, "snapshot",
                         *map(str, arguments)])


def all_is_of_then(place):
    """Test that resident memory and stacks are those of the copy's instant:
    less was resident before, and the history is there too."""
    def has_history():
        equal("status", 0, snapshot(place, tally.pid).status)
        return watchdog.run([place.recorder.tally, "report", "--at=peak",
                             copies(path)[-1]]).status == 0

    path = folder(place)
    tally = grown(place, path, "85")
    equal("it", b"grown\n", tally.stdout.readline())
    equal("status", 0, snapshot(place, tally.pid).status)
    resident = report(place, copies(path)[0])["resident"]
    assert resident["bytes"] >= 80 << 20, resident
    scenario.wait_until(has_history, "what was held before")
    tally.communicate(b"\n", timeout=30)


def by_tally_snapshot(place):
    """Test that tally snapshot names the copy; the newest five of a program
    stay, over all its runs."""
    path = folder(place)
    others = ("grows.1.20200101T000000.000.tally.d",
              "grow.1.20200101T000000.000.tally", "grows.1.tally")
    for name in others + ("grows.1.20200101T000000.000.tally",
                          "grows.1.20200102T000000.000.tally"):
        scenario.write_file(f"{path}/{name}", "")
    tally = grown(place, path, "10")
    equal("it", b"grown\n", tally.stdout.readline())
    for _ in range(4):
        outcome = snapshot(place, tally.pid)
        equal("status", 0, outcome.status)
        named = outcome.stderr.decode().split()[-1]
        assert named.startswith(f"{os.path.realpath(path)}/grows."), named
        equal("live", 10 << 20, sum(
            site["bytes_live"] for site in report(place, named)["sites"]
            if site["bytes_live"] >= 1 << 20))
    before = sorted(os.listdir(path))
    equal("the oldest is gone", set(others), {
        name for name in before if name.startswith(("grow.", "grows.1."))} - {
            "grows.1.20200102T000000.000.tally"})
    equal("all", len(others) + 5, len(before))
    equal("status", 0, snapshot(place, "-o", place.file("own"), tally.pid)
          .status)
    equal("beside", before, sorted(os.listdir(path)))
    os.rename(path, f"{path}.away")
    outcome = snapshot(place, tally.pid)
    equal("no folder", (2, True),
          (outcome.status, b"No such file" in outcome.stderr))
    os.rename(f"{path}.away", path)
    equal("status", 0, snapshot(place, tally.pid).status)
    said = tally.communicate(b"\n", timeout=30)[1].decode()
    assert "tally: 1 copy was not written to" in said, said
    assert "tally: 5 copies, the last in" in said, said


def whatever_the_clock_was(place):
    """Test that the newest copy stays, though five have later times."""
    path = folder(place)
    for number in range(1, 6):
        scenario.write_file(f"{path}/grows.1.2099010{number}T000000.000.tally",
                            "")
    tally = grown(place, path, "10")
    equal("it", b"grown\n", tally.stdout.readline())
    named = snapshot(place, tally.pid).stderr.decode().split()[-1]
    assert os.path.exists(named), named
    equal("all", 5, len(os.listdir(path)))
    tally.communicate(b"\n", timeout=30)


def asked_for(place):
    """Test copies by signals: the newest five stay, and FILE.N is not
    written."""
    path = folder(place)
    tally = grown(place, path, "10", options=["--snapshot-on=SIGUSR2"])
    equal("it", b"grown\n", tally.stdout.readline())
    newest = []
    for _ in range(7):
        before = newest
        os.kill(tally.pid, signal.SIGUSR2)
        scenario.wait_until(lambda: copies(path)[-1:] != before, "a copy")
        newest = copies(path)[-1:]
    scenario.wait_until(lambda: len(copies(path)) == 5, "the older ones to go")
    said = tally.communicate(b"\n", timeout=30)[1].decode()
    assert f"tally: 7 copies, the last in {newest[0]}" in said, said
    equal("FILE.N", [], glob.glob(place.file("ledger.*")))
    decoded = watchdog.run([place.recorder.tally, "decode", newest[0]])
    equal("blocks of 1 MiB", 10, decoded.stdout.count(b"-1048576\n"))


def is_of(pid, path):
    try:
        return path in scenario.read_file(f"/proc/{pid}/cmdline")
    except OSError:
        return False  # the process has exited


def kill_keeper(path, how):
    keepers = subprocess.run(
        ["ps", "-o", "pid=", "-C", "tally-keeper"], text=True,
        stdout=subprocess.PIPE, check=False).stdout.split()
    for pid in keepers:
        if is_of(pid, path):
            os.kill(int(pid), how)


def without_its_keeper(place):
    """Test that an abandoned request does not answer the next one."""
    path = folder(place)
    tally = grown(place, path, "10")
    equal("it", b"grown\n", tally.stdout.readline())
    kill_keeper(path, signal.SIGSTOP)
    outcome = snapshot(place, tally.pid)
    equal("stopped", 2, outcome.status)
    assert b"its keeper does not answer; name a file" in outcome.stderr, outcome
    kill_keeper(path, signal.SIGCONT)
    outcome = snapshot(place, tally.pid)
    equal("status", 0, outcome.status)
    equal("newest", copies(path)[-1], outcome.stderr.decode().split()[-1])
    kill_keeper(path, signal.SIGKILL)
    outcome = snapshot(place, tally.pid)
    equal("ended", 2, outcome.status)
    assert b"writes no copy: its keeper has ended; " in outcome.stderr, outcome
    tally.communicate(b"\n", timeout=30)


def whole_or_not_there(place):
    """Test a kill at any moment, keeper included."""
    path = folder(place)
    for number in range(6):
        tally = grown(place, path, "400", "300")
        time.sleep(0.05 + 0.03 * number)
        kill_keeper(path, signal.SIGKILL)
        os.killpg(tally.pid, signal.SIGKILL)
        tally.communicate()
    equal("nothing but copies", [os.path.basename(p) for p in copies(path)],
          sorted(os.listdir(path)))
    for copy in copies(path):
        report(place, copy)


def interrupted(place):
    path = folder(place)
    tally = grown(place, path, "100")
    equal("it", b"grown\n", tally.stdout.readline())
    os.killpg(tally.pid, signal.SIGINT)
    equal("status", -signal.SIGINT, tally.wait(timeout=30))
    tally.communicate()
    equal("left", [], os.listdir(path))
    kept = report(place, place.file("ledger"))["events"]
    assert kept["kept"] >= 100 and kept["overwritten"] == 0, kept


def snapshots_have_the_tail(place):
    path = folder(place)
    with Steps(place, "--blackbox=16M", f"--keep={path}",
               "--snapshot-every=100ms") as steps:
        steps.do("aaff")
        after = len(glob.glob(steps.file + ".*")) + 2
        every = f"{steps.file}.{after}"
        scenario.wait_until(lambda: os.path.exists(every), every)
        steps.run("snapshot", "-o", place.file("asked"), str(steps.pid))
        for name in (every, place.file("asked")):
            lines = steps.run("decode", name).stdout.decode().splitlines()
            equal("blocks of 1000 bytes", 200,
                  sum(line.endswith("-1000") for line in lines))
        steps.do("e")


def of_an_attached_one(place):
    path = folder(place)
    with attached_program.Program(place) as program:
        attaching = program.attach(place.file("of"), "--blackbox=16M",
                                   f"--keep={path}")
        program.do("a")
        program.detach(attaching)
        assert report(place, place.file("of"))["events"]["kept"] >= 100


@contextlib.contextmanager
def small_disk(place, size):
    small = folder(place, "small")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs",
                       small], stderr=subprocess.PIPE,
                      check=False).returncode != 0:
        raise scenario.Skip("no tmpfs can be mounted; run it as root")
    try:
        yield small
    finally:
        subprocess.run(["umount", small], check=True)


def on_a_disk_that_fills(place):
    """Test that disk space was reserved before; later files take all the
    rest."""
    def room():
        status = os.statvfs(small)
        return status.f_bavail * status.f_frsize

    with small_disk(place, "110m") as small:
        tally = grown(place, small, program=[
            "sh", "-c", "echo begun; read go; "
            f"exec {place.victim('grows')} 400 300"])
        equal("it", b"begun\n", tally.stdout.readline())
        at_most("room, for the rest is set apart", 14 << 20, room())
        with open(f"{small}/others", "wb") as others:
            os.posix_fallocate(others.fileno(), 0, room())
        equal("room", 0, room())
        tally.stdin.write(b"go\n")
        tally.stdin.flush()
        equal("it", b"refused\n", tally.stdout.readline())
        scenario.wait_until(lambda: copies(small), "a copy")
        for _ in range(8):  # more than there were files
            equal("status", 0, snapshot(place, tally.pid).status)
        tally.communicate(b"\n", timeout=30)
        equal("kept", 5, len(near_a_limit(small)))
        for copy in copies(small):
            assert report(place, copy)["totals"]["peak_bytes"] > 100 << 20


def on_a_full_disk(place):
    with small_disk(place, "50m") as small:
        for where in (small, "/proc", "/dev/null", "/nowhere"):
            outcome = place.recorder.run(
                ["/bin/echo", "ran"], ["--blackbox=16M", f"--keep={where}"])
            equal(where, (2, b""), (outcome.status, outcome.stdout))
            equal("lines", 1, len(outcome.stderr.decode().splitlines()))
        equal("left", [], os.listdir(small))


scenario.main(killed_together, near_its_address_space, near_its_own_limit,
              of_what_runs_on, all_is_of_then, by_tally_snapshot,
              whatever_the_clock_was,
              asked_for, without_its_keeper, whole_or_not_there, interrupted,
              snapshots_have_the_tail, of_an_attached_one,
              on_a_disk_that_fills, on_a_full_disk)
