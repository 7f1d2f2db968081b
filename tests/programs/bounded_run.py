# SPDX-License-Identifier: Apache-2.0
"""Programs run in sessions of their own, under a watchdog."""

import dataclasses
import os
import signal
import subprocess
import time

HANG_SECONDS = 90
ENDING_SECONDS = 10


class Failed(Exception):
    """The test fails; the message says what was expected and what was."""


@dataclasses.dataclass(frozen=True)
class Result:
    status: int
    stdout: bytes
    stderr: bytes


def environment(folder):
    """What every program starts with: nothing of the user's."""
    return {
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": folder,
        "TMPDIR": folder,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
    }


def session_members(session):
    """Pids of the processes, zombies apart, whose session id is `session`."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8",
                      errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[3]) == session and fields[0] != "Z":
            yield int(name)


class Process:
    """One program in a session of its own; `with` ends whatever it left."""

    def __init__(self, command, folder, variables, stdin=None):
        self.command = command
        self.files = [open(os.path.join(folder, f".{name}"), "w+b")
                      for name in ("stdin", "stdout", "stderr")]
        self.files[0].write((stdin or "").encode())
        self.files[0].seek(0)
        # Files, not pipes: a child that stays behind cannot keep us waiting.
        self.process = subprocess.Popen(
            command, cwd=folder, env=variables, stdin=self.files[0],
            stdout=self.files[1], stderr=self.files[2], start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end_all()
        for file in self.files:
            file.close()

    def end_all(self):
        deadline = time.monotonic() + ENDING_SECONDS
        while time.monotonic() < deadline:
            members = list(session_members(self.process.pid))
            if not members:
                break
            for pid in members:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.poll()
            time.sleep(0.02)
        self.process.wait(ENDING_SECONDS)

    def wait(self, seconds=HANG_SECONDS):
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            shown = self.contents()
            raise Failed(f"hung: {self.command} had not ended after {seconds} "
                         f"s\nstdout ends {shown[0][-500:]!r}\n"
                         f"stderr ends {shown[1][-500:]!r}") from None
        return Result(status, *self.contents())

    def stop(self):
        """Ask a server to end, as its administrator would."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def contents(self):
        """Standard output and standard error so far."""
        def whole(file):
            return os.pread(file.fileno(), 1 << 26, 0)
        return whole(self.files[1]), whole(self.files[2])


def run(command, folder, variables, stdin=None):
    with Process(command, folder, variables, stdin) as process:
        return process.wait()


def must_run(command, folder, variables):
    """Run what a test only needs to have happened."""
    result = run(command, folder, variables)
    if result.status != 0:
        raise Failed(f"{command} ended with {result.status}: "
                     f"{result.stderr.decode(errors='replace')}")
    return result
