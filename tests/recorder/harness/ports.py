# SPDX-License-Identifier: Apache-2.0
"""Ports of the loopback for servers of tests."""

import random
import socket


def free_port():
    """Return a free port below the kernel's ephemeral ones: no client's socket
    gets it, not even one that shares ports (dig's, which then asks itself)."""
    while True:
        port = random.randrange(15000, 32000)
        with socket.socket() as stream, socket.socket(
                type=socket.SOCK_DGRAM) as datagram:
            try:
                stream.bind(("127.0.0.1", port))
                datagram.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
