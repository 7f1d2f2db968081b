# SPDX-License-Identifier: Apache-2.0
"""On a terminal a line shows progress; Ctrl-C ends the capture."""

import os
import pty
import re
import subprocess
import sys

MAKE_TRACE = os.path.join(os.environ["CASE_DIR"], "..", "make_trace.py")
TRACE = subprocess.run([sys.executable, MAKE_TRACE, "--rounds=3", "-"],
                       stdout=subprocess.PIPE, check=True).stdout


def main():
    os.mkfifo("pipe")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(os.environ["TALLY"], ["tally", "capture", "pipe", "-o", "out"])
    seen = b""
    with open("pipe", "wb") as pipe:
        pipe.write(TRACE)
        pipe.flush()
        while b"12 events, 4 regions, mem_slab" not in seen:
            seen += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
    while b"captured" not in seen or not seen.endswith(b"\n"):
        seen += os.read(terminal, 1000)
    lines = re.split(rb"\r\x1b\[K|\r\n", seen)
    shown = {line.decode().removesuffix("^C") for line in lines}
    print(*sorted(line for line in shown if "12 ev" in line), sep="\n")
    print(os.waitstatus_to_exitcode(status), os.path.getsize("out"))


main()
