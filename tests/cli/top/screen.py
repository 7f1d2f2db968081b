# SPDX-License-Identifier: Apache-2.0
"""tally top on a terminal: what it shows, which keys it obeys, that it gives
the terminal back. A small terminal is played for it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

TALLY = os.environ["TALLY"]
PATIENCE = 60
REDRAW = b"\x0c"  # otherwise only what has changed is written
PROGRAM = """
import os
os.write(1, b"ready")
os.read(0, 1)
"""


class Terminal:
    """Runs a command on a terminal and keeps what it wrote."""

    def __init__(self, command, rows, columns):
        self.seen = b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ,
                        struct.pack("HHHH", rows, columns, 0, 0))
            os.environ["TERM"] = "xterm"
            os.execv(command[0], command)

    def read(self):
        """Whether the terminal is open still."""
        if select.select([self.master], [], [], 0.1)[0]:
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                return False
        return True

    def read_to_end(self):
        while self.read():
            pass

    def wait_for(self, text):
        """Until the text was written; then forget what came before."""
        end = time.monotonic() + PATIENCE
        while text not in self.plain():
            if time.monotonic() > end:
                sys.exit(f"no {text!r} in {self.plain()!r}")
            self.read()
        self.seen = b""

    def plain(self):
        return re.sub(rb"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9])", b"",
                      self.seen).decode("utf-8", "replace")

    def type(self, keys):
        os.write(self.master, keys)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)


def main():
    record = subprocess.Popen(
        [TALLY, "record", "-q", "-o", "x.tally", "--", "/usr/bin/python3",
         "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    record.stdout.read(5)
    with open(f"/proc/{record.pid}/task/{record.pid}/children",
              encoding="utf-8") as file:
        program = file.read().strip()

    top = Terminal([TALLY, "top", "-d", "0.5", program], 24, 100)
    top.wait_for("LIVE BYTES")
    print("shows accounts")
    for key, name in ((b"f", "function"), (b"t", "total"), (b"b", "blocks"),
                      (b"r", "rate"), (b"l", "live bytes")):
        top.type(key + REDRAW)
        top.wait_for(f"by {name}")
        print(f"sorts by {name}")
    top.type(b"\x1b[6~" + REDRAW)
    top.wait_for("sites 20-38 ")
    print("scrolls")
    top.resize(15, 100)
    top.type(b"\x1b[5~\x1b[5~" + REDRAW)
    top.wait_for("sites 1-10 ")
    print("takes another size")
    record.stdin.write(b"x")
    record.stdin.close()
    record.wait(PATIENCE)
    top.wait_for("s ended")  # "running" and "has ended" share no more
    print("notices the end")
    top.type(b"q")
    top.read_to_end()
    print("quits", os.waitpid(top.pid, 0)[1])


main()
