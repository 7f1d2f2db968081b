# SPDX-License-Identifier: Apache-2.0
"""Test fifty readers, beside one that requests much and reads nothing.

usage: readers.py TALLY
"""

import gzip
import http.client
import socket
import sys
import urllib.parse

from watched import Watched

READERS, REQUESTS = 50, 400
MEMORY_KIB = 64 * 1024
SECONDS = 100


class Reader:
    def __init__(self, url):
        self.url = url
        self.events = self.ask("events")

    def ask(self, name):
        connection = http.client.HTTPConnection(self.url.netloc,
                                                timeout=SECONDS)
        connection.request("GET", self.url.path + name)
        answer = connection.getresponse()
        assert answer.status == 200, (name, answer.status)
        return answer

    def wait(self, event):
        while self.events.readline() != event:
            pass

    def data(self):
        return gzip.decompress(self.ask("data").read())


def slow(url):
    """Request some megabytes of answers that are never read."""
    connection = socket.create_connection((url.hostname, url.port))
    connection.setblocking(False)
    for _ in range(REQUESTS):
        try:
            connection.send(f"GET {url.path}data HTTP/1.1\r\n"
                            f"Host: {url.netloc}\r\n\r\n".encode())
        except BlockingIOError:
            break
    return connection


def peak_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file
                    if line.startswith("VmHWM:"))


def main(tally):
    with Watched(tally) as program:
        url = urllib.parse.urlsplit(program.address)
        kept = slow(url)
        readers = [Reader(url) for _ in range(READERS)]
        for size in (5_000_000, 6_000_000):
            program.allocate(size)
            for reader in readers:
                reader.wait(b"data:\n")
        for reader in readers:
            reader.data()
        print("memory:", "within 64 MiB" if peak_kib(program.view.pid) <=
              MEMORY_KIB else peak_kib(program.view.pid))
        program.end()
        for reader in readers:
            reader.wait(b"event: end\n")
        got = [reader.data() for reader in readers]
        print(len(got), "readers,", len(set(got)), "page")
        kept.setblocking(True)
        print("the slow one:", kept.recv(12).decode())
        said, status = program.stop()
        print(said.count("\n"), "line, status", status)


if __name__ == "__main__":
    main(*sys.argv[1:])
