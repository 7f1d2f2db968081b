# SPDX-License-Identifier: Apache-2.0
"""Nothing of scripts/fleet-demo is left, whoever ends it: Ctrl-C, twice, by an
impatient user, and a terminal that is closed.

usage: stopped.py BUILD FOLDER
"""

import os
import signal
import subprocess
import sys
import time

import servers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
WAIT = 60


def of_folder(folder):
    """Processes that were started in it, or name it."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                command = file.read()
            where = os.readlink(f"/proc/{process}/cwd")
        except OSError:
            continue
        if int(process) != os.getpid() and (
                folder.encode() in command or where.startswith(folder)):
            found.append((process, command))
    return found


def stop(build, folder, line, ends):
    """Ends its whole group, as a terminal does, when it has said `line`."""
    with subprocess.Popen(
            [sys.executable, "-B", os.path.join(ROOT, "scripts/fleet-demo"),
             build, folder, "60"], stdout=subprocess.PIPE, encoding="utf-8",
            start_new_session=True) as demo:
        while not demo.stdout.readline().startswith(line):
            assert demo.poll() is None, "it ended by itself"
        time.sleep(1)
        assert len(of_folder(folder)) > 1
        for end in ends:
            os.killpg(demo.pid, end)
            time.sleep(0.3)
        status = demo.wait(WAIT)
    assert status == 128 + ends[0], status
    assert not (left := of_folder(folder)), left


def main(build, folder):
    absent = servers.absent()
    if absent:
        print(f"SKIPPED: no {absent}; scripts/install-deps test")
        return 77
    stop(build, folder, "starting", [signal.SIGINT])
    stop(build, folder, "release", [signal.SIGHUP, signal.SIGINT])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
