# SPDX-License-Identifier: Apache-2.0
"""The memory of a recording grows neither with time nor with the number of
processes: ended ones move to files, and past a limit new ones are not
recorded.

Watch the session's file while 6,000 programs run, one after the other, as root
and as another user, who cannot read the maps of a process of root that starts
meanwhile.
"""

import contextlib
import os
import signal
import struct
import subprocess
import threading
import time

from harness import scenario, watchdog
from harness.scenario import Skip, equal, wait_until
from harness.steps import wait_for_end

MIB = 1 << 20
BOUND = 64 * MIB
PROGRAMS = 6000
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
LOOP = "i=0; while [ $i -lt {} ]; do /bin/true; i=$((i + 1)); done"
CAPACITY, CAPACITY_AT = 1 << 20, 36  # docs/ledger-format.md


def session_of(pid):
    """Return the session's file that the process has open."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(path).startswith("/memfd:tally"):
                return path
    raise AssertionError(f"{pid} holds no session")


class Watch:
    """Return the peak memory of a session."""

    def __init__(self, pid):
        self.session = os.open(session_of(pid), os.O_RDONLY)
        self.most = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.look)

    def held(self):
        return os.fstat(self.session).st_blocks * 512

    def look(self):
        while not self.is_over.is_set():
            self.most = max(self.most, self.held())
            time.sleep(0.005)

    def is_full(self):
        word = os.pread(self.session, 4, CAPACITY_AT)
        return struct.unpack("<I", word)[0] != CAPACITY

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        os.close(self.session)


class Shell:
    """A shell that obeys commands, recorded or not."""

    SCRIPT = 'while read -r line; do eval "$line"; echo .; done; exit 3'

    def __init__(self, *before, **settings):
        self.process = subprocess.Popen(
            [*before, "/bin/sh", "-c", self.SCRIPT], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            env=watchdog.clean_environment(), **settings)
        self.do(":")

    def do(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        equal(f"answer to {line}", b".\n", self.process.stdout.readline())

    def end(self):
        out, err = self.process.communicate(timeout=120)
        equal("rest", b"", out)
        return err.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def users(place):
    """Return how to run as each user; each writes into the folder."""
    os.chmod(place.folder, 0o777)
    if os.getuid() != 0:
        return [[]]
    outcome = watchdog.run([*NOBODY, place.recorder.tally, "--version"])
    if outcome.status != 0:
        raise Skip("another user cannot reach the build; build it in a folder "
                   "that all users can read")
    return [[], NOBODY]


def stays_small(place, name, pid, shell):
    """Keep a process of this user running that started meanwhile."""
    with subprocess.Popen(["/bin/sleep", "1000"]) as stranger:
        with Watch(pid) as watch:
            shell.do(LOOP.format(PROGRAMS))
        stranger.kill()
    assert watch.most < BOUND, f"{name}: {watch.most / MIB:.1f} MiB"
    written = len(place.recorder.child_files(name))
    assert written > PROGRAMS // 4, f"{name}: {written} files meanwhile"


def all_are_written(place, name):
    equal("files", PROGRAMS, len(place.recorder.child_files(name)))
    first = place.recorder.first(name)
    equal("unrecorded", 0, first.lost("unrecorded_images"))


def recorded(place):
    for user in users(place):
        name = "user" if user else "own"
        with Shell(*user, place.recorder.tally, "record", "-q", "-o",
                   place.file(name), "--") as shell:
            stays_small(place, name, shell.process.pid, shell)
            equal("errors", "", shell.end())
            equal("status", 3, shell.process.returncode)
        all_are_written(place, name)


@contextlib.contextmanager
def attached_shell(place, name, *options, user=()):
    """A shell, and the tally attach that records it until it exits."""
    with Shell(*user) as shell:
        pid = str(shell.process.pid)
        attaching = subprocess.Popen(
            [*user, place.recorder.tally, "attach", pid, *options, "-o",
             place.file(name)], stderr=subprocess.PIPE,
            env=watchdog.clean_environment())
        line = attaching.stderr.readline().decode()
        if "ptrace_scope" in line:
            attaching.communicate()
            raise Skip("this user may not attach; set "
                       "kernel.yama.ptrace_scope=0, or run it as root")
        assert f"attached to {pid}" in line, line
        yield shell, attaching
        equal("errors", "", shell.end())
        attaching.communicate(timeout=60)
        equal("status of attach", 0, attaching.returncode)


def attached(place):
    for user in users(place):
        name = "user" if user else "own"
        with attached_shell(place, name, user=user) as (shell, attaching):
            stays_small(place, name, attaching.pid, shell)
        all_are_written(place, name)


def names_of(account):
    return [os.path.basename(report["process"]["program"])
            for report in account.reports]


def follows_as_asked(place):
    for which, expected in (("none", set()), ("exec", {"true"}),
                            ("fork", {"dash"}), ("all", {"dash", "true"})):
        with attached_shell(place, which, f"--follow={which}") as (shell, _):
            shell.do("(list=$(echo 1 2 3); /bin/true; :)")
        equal(which, expected, set(names_of(place.recorder.children(which))))


def no_more_past_the_limit(place):
    """Test that programs past the limit run unrecorded and are counted; later
    ones are recorded again."""
    with Shell(place.recorder.tally, "record", "--most=2M", "-o",
               place.file("ledger"), "--") as shell, \
            Watch(shell.process.pid) as watch:
        started = 0
        while not watch.is_full():
            shell.do("/bin/sleep 1000 & jobs=\"$jobs $!\"")
            started += 1
            assert started < 1000, "never full"
        for _ in range(10):
            shell.do("/bin/true")
        shell.do("kill $jobs; wait")
        wait_until(lambda: not watch.is_full(), "room")
        for _ in range(5):
            shell.do("/bin/ls / >/dev/null")
        said = shell.end()
        equal("status", 3, shell.process.returncode)
    assert "reached its limit of 2.0 MiB of memory" in said, said
    assert "memory limit (--most), so not recorded: /bin/true" in \
        said, said
    names = names_of(place.recorder.children())
    equal("past the limit", 0, names.count("true"))
    equal("afterwards", 5, names.count("ls"))
    # A child forked by the shell counts too.
    missing = place.recorder.first().lost("unrecorded_images")
    least = 10 + started - names.count("sleep")
    assert least <= missing <= 2 * least, (least, missing)


def what_is_left_by_a_kill(place):
    """Test that without a folder the keeper drops ended processes."""
    with Shell(place.recorder.tally, "record", "-q", "-o",
               place.file("ledger"), "--") as shell:
        tally = shell.process.pid
        with open(f"/proc/{tally}/task/{tally}/children",
                  encoding="ascii") as file:
            keeper = int(file.read().split()[0])
        with Watch(tally) as watch:
            os.kill(tally, signal.SIGKILL)
            shell.do(LOOP.format(PROGRAMS))
        assert watch.most < BOUND, f"{watch.most / MIB:.1f} MiB"
        shell.process.stdin.close()
        shell.process.stdin = None
        wait_for_end(keeper)


scenario.main(recorded, attached, follows_as_asked, no_more_past_the_limit,
              what_is_left_by_a_kill)
