# SPDX-License-Identifier: Apache-2.0
"""Programs with a log each, stopped by their PIDs.

    with Programs(folder) as programs:
        programs.begin("web", ["web", "--port=8000"])
        programs.wait("web", lambda: get(8000))
"""

import contextlib
import os
import subprocess
import time
import urllib.request

WAIT = 60


def get(port, path="/", question=None):
    """Return the answer of a request on the loopback."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}{path}", question,
                     timeout=120) as answer:
        return answer.read()


class Programs:
    def __init__(self, folder):
        self.folder = folder
        self.processes = {}

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop(*self.processes)

    def begin(self, name, command, **options):
        with open(os.path.join(self.folder, name + ".log"), "ab") as log:
            self.processes[name] = subprocess.Popen(
                command, stdout=log, stderr=log,
                **{"stdin": subprocess.DEVNULL, **options})

    def wait(self, name, ask):
        """Wait until it answers; return the answer."""
        deadline = time.monotonic() + WAIT
        while True:
            with contextlib.suppress(OSError):
                if answer := ask():
                    return answer
            ended = self.processes[name].poll()
            if ended is not None or time.monotonic() > deadline:
                with open(os.path.join(self.folder, name + ".log"),
                          encoding="utf-8", errors="replace") as log:
                    raise AssertionError(f"{name} does not answer, or not all "
                                         f"({ended}): {log.read()[-4000:]}")
            time.sleep(0.1)

    def stop(self, *names):
        """Tell all to end first: by the end of their input, or a signal."""
        processes = [self.processes.pop(name) for name in names]
        for process in processes:
            if process.stdin:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            else:
                process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
