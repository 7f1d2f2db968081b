# SPDX-License-Identifier: Apache-2.0
"""Connections to an HTTP server that say a byte of a head now and then, until
the server has ended each; those of another user, if one is named.

usage: crowd.py HOST:PORT COUNT [UID]
"""

import os
import socket
import sys
import time


def say(one, text):
    """False: the server has ended it."""
    try:
        one.send(text)
        return one.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def main(place, count, user=None):
    if user is not None:
        os.setgroups([])
        os.setresuid(*3 * [int(user)])
    host, port = place.split(":")
    crowd = []
    for _ in range(int(count)):
        crowd.append(socket.socket())
        crowd[-1].connect((host, int(port)))
        crowd[-1].setblocking(False)
        say(crowd[-1], b"GET / HTTP/1.1\r\nX: ")
    print("all are there", flush=True)
    while crowd:
        crowd = [one for one in crowd if say(one, b"x")]
        time.sleep(0.5)
    print("all were ended", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
