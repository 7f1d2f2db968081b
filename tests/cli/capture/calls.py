# SPDX-License-Identifier: Apache-2.0
"""A device on a serial line: live bytes show while it runs."""

import os
import pty
import re
import tty

LINES = b"".join(b"#m:0x%x;0x600d-100\r\n" % (0x20003000 + 128 * i)
                 for i in range(40)) + b"#f:0x0;0x602f-0x20003000\r\n"
SHOWN = b"41 events, live 3,900 bytes in 39 blocks, peak 4,000"


def main():
    device, line = pty.openpty()
    tty.setraw(device)
    name = os.ttyname(line)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(os.environ["TALLY"],
                 ["tally", "capture", name + ":115200", "-o", "out"])
    seen = b""
    os.write(device, LINES)
    while SHOWN not in seen:
        seen += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    while b"captured" not in seen or not seen.endswith(b"\n"):
        seen += os.read(terminal, 1000)
    lines = re.split(rb"\r\x1b\[K|\r\n", seen)
    print(*(part.decode().removesuffix("^C") for part in lines
            if b"captured" in part), sep="\n")
    print(os.waitstatus_to_exitcode(status), os.path.getsize("out"),
          len(LINES))


main()
