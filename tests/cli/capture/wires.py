# SPDX-License-Identifier: Apache-2.0
"""Capture from sockets and pseudoterminals, until the end and until a
signal."""

import os
import pty
import signal
import socket
import subprocess
import sys
import termios
import time

TALLY = os.environ["TALLY"]
MAKE_TRACE = os.path.join(os.environ["CASE_DIR"], "..", "make_trace.py")
# Its figures contain every byte that a terminal would obey or change.
TRACE = subprocess.run([sys.executable, MAKE_TRACE, "--rounds=250", "--grow=1",
                        "-"], stdout=subprocess.PIPE, check=True).stdout
assert set(TRACE) == set(range(256))


def capture(*arguments):
    return subprocess.Popen([TALLY, "capture", *arguments, "-o", "out"],
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True)


def kept():
    return os.path.getsize("out") if os.path.exists("out") else 0


def wait_until(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def finish(title, process):
    _, errors = process.communicate(timeout=60)
    with open("out", "rb") as file:
        same = file.read() == TRACE
    print(f"{title}: exit {process.returncode}, {'all' if same else 'not all'}")
    print(" ", errors.splitlines()[-1].replace("tally: ", "", 1))
    os.remove("out")


def tcp():
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = capture(f"tcp:127.0.0.1:{server.getsockname()[1]}")
        connection, _ = server.accept()
        with connection:
            connection.sendall(TRACE)
    finish("tcp", process)


def tcp_enable():
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = capture(f"tcp:127.0.0.1:{server.getsockname()[1]}",
                          "--enable")
        connection, _ = server.accept()
        with connection:
            print(repr(connection.recv(7, socket.MSG_WAITALL)))
            connection.sendall(TRACE)
    finish("tcp --enable", process)


def listen():
    process = capture("listen:127.0.0.1:0", "--wait=60")
    port = int(process.stderr.readline().split()[-1])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(TRACE)
    finish("listen", process)


def signal_ends(name):
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = capture(f"tcp:127.0.0.1:{server.getsockname()[1]}")
        connection, _ = server.accept()
        with connection:
            connection.sendall(TRACE)
            wait_until(lambda: kept() == len(TRACE))
            process.send_signal(name)
            finish(name.name, process)


def signal_while_waiting():
    process = capture("listen:127.0.0.1:0", "--wait=0")
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    print(f"no connection: exit {process.returncode},", errors.strip())
    print(os.path.exists("out"))


def seconds():
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = capture(f"tcp:127.0.0.1:{server.getsockname()[1]}",
                          "--seconds=2")
        connection, _ = server.accept()
        with connection:
            connection.sendall(TRACE)
            finish("--seconds", process)


def serial(title, name):
    """Test that bytes that a terminal would obey or change arrive
    unchanged."""
    ours, theirs = pty.openpty()
    process = capture(name.format(os.ttyname(theirs)))
    wait_until(lambda: os.path.exists("out"))
    wait_until(lambda: is_raw(theirs))
    os.close(theirs)
    for start in range(0, len(TRACE), 1000):
        os.write(ours, TRACE[start:start + 1000])
    wait_until(lambda: kept() == len(TRACE))
    os.close(ours)
    finish(title, process)


def is_raw(descriptor):
    return not termios.tcgetattr(descriptor)[3] & termios.ICANON


def main():
    tcp()
    tcp_enable()
    listen()
    signal_ends(signal.SIGINT)
    signal_ends(signal.SIGTERM)
    signal_while_waiting()
    seconds()
    serial("pty", "{}")
    serial("pty with a speed", "{}:1000000")
    serial("serial:", "serial:{}:115200")


main()
