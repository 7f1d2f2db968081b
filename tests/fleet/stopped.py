# SPDX-License-Identifier: Apache-2.0
"""scripts/fleet-demo leaves nothing behind: after Ctrl-C, Ctrl-C twice, and a
closed terminal.

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
    """Return processes started in it, or that name it."""
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
    """End its whole group, like a terminal, once it has printed `line`."""
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
