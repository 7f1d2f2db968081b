# SPDX-License-Identifier: Apache-2.0
"""Start a server under the recorder on a free port, and stop it by its pid."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from harness import recording, watchdog
from harness.ports import free_port

PATH = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}


class Server:
    """A command that listens on a port of the loopback."""

    def __init__(self, command, port, folder):
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
            env=watchdog.clean_environment(PATH))
        self.output = b""
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                pass
            if self.process.poll() is not None or \
                    time.monotonic() > deadline:
                self.kill()
                raise AssertionError("the server does not listen: " +
                                     self.output.decode())
            time.sleep(0.05)

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.output, _ = self.process.communicate(timeout=10)

    def stop(self, number):
        """Ask it to end; return its status."""
        self.process.send_signal(number)
        try:
            self.output, _ = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the server does not end") from None
        return self.process.returncode


def serve(job):
    """Run job(command -> Server, folder, port) plainly and recorded, check
    that clients saw the same, and return both recordings' figures: the
    server's and its children's."""
    build = os.path.abspath(sys.argv[1])
    seen = []
    with tempfile.TemporaryDirectory(prefix="tally-server-") as base:
        recorder = recording.Recorder(build, base)
        for wrap in (lambda command: command, recorder.command):
            folder = os.path.join(base, "job")
            if os.path.exists(folder):
                os.rename(folder, folder + ".plain")
            os.mkdir(folder)
            seen.append(job(wrap, folder, free_port()))
        account = recorder.first()
        children = recorder.children()
    plain, recorded = seen
    assert plain == recorded, f"plain {plain!r}, recorded {recorded!r}"
    return account, children


def client(command, **settings):
    outcome = watchdog.run(command, environment=PATH, **settings)
    return outcome.status, outcome.stdout, outcome.stderr
