# SPDX-License-Identifier: Apache-2.0
"""A terminal with a screen: a command's output as a user sees it."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

try:
    import pyte
except ImportError:
    print("SKIPPED: no pyte; scripts/install-deps test")
    sys.exit(77)

PATIENCE = 60

UP, DOWN, HOME, END = "\x1b[A", "\x1b[B", "\x1b[1~", "\x1b[4~"
PAGE_UP, PAGE_DOWN, ENTER, ESCAPE = "\x1b[5~", "\x1b[6~", "\r", "\x1b"


class Terminal:
    """Run a command on it."""

    def __init__(self, command, rows, columns):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            self.set_size(0, rows, columns)
            os.environ["TERM"] = "linux"
            os.environ["LC_ALL"] = "C.UTF-8"
            os.execv(command[0], command)

    @staticmethod
    def set_size(descriptor, rows, columns):
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        """Read all available output; return True if the terminal is still
        open."""
        seconds = 0.1
        while select.select([self.master], [], [], seconds)[0]:
            try:
                self.stream.feed(os.read(self.master, 65536))
            except OSError:
                return False
            seconds = 0.02
        return True

    def wait_until(self, what):
        """Read until the visible lines make it true; return these lines."""
        end = time.monotonic() + PATIENCE
        while not what(self.lines()):
            if time.monotonic() > end:
                sys.exit("never so:\n" + "\n".join(self.lines()))
            self.read()
        return self.lines()

    def wait_for(self, text):
        """Read until a line has the text; return that line."""
        lines = self.wait_until(lambda lines: text in "\n".join(lines))
        return [line for line in lines if text in line][0]

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def chosen(self):
        """Return highlighted lines: the selected one."""
        return [line for number, line in enumerate(self.lines())
                if self.screen.buffer[number][0].reverse]

    def type(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, rows, columns):
        self.set_size(self.master, rows, columns)
        self.screen.resize(rows, columns)
        os.kill(self.pid, signal.SIGWINCH)

    def wait_for_end(self):
        """Return the exit status."""
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
