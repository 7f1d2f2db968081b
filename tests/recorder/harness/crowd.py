# SPDX-License-Identifier: Apache-2.0
"""Keep connections to an HTTP server open by sending a byte of a request now
and then, until the server has closed each; as another user, if one is named.

usage: crowd.py HOST:PORT COUNT [UID]
"""

import os
import socket
import sys
import time


def say(one, text):
    """Send a byte; return False if the server has closed the connection."""
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
