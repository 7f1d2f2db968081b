# SPDX-License-Identifier: Apache-2.0
"""pager.py PAGER COMMAND...: run it on a terminal of 24 rows; PAGER - is unset,
and INTERRUPT=1 presses Ctrl-C. The status and the first two lines it shows."""
import fcntl
import os
import pty
import struct
import sys
import termios
import time

pager, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    os.environ.update(TERM="xterm", PAGER=pager)
    if pager == "-":
        del os.environ["PAGER"]
    os.execvp(command[0], command)
if "INTERRUPT" in os.environ:
    time.sleep(0.5)
    os.write(terminal, b"\x03")
shown = b""
while True:
    try:
        more = os.read(terminal, 4096)
    except OSError:
        break
    if not more:
        break
    shown += more
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
lines = shown.replace(b"\x1b", b"ESC").decode().splitlines()
print(status, len(lines) > 24, *(line[:34] for line in lines[:2]), sep=" | ")
