#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Serve a folder over HTTP on the loopback, like debuginfod servers do.

usage: serve_debug_files.py FOLDER PORT_FILE LOG

Writes its port to PORT_FILE once it listens, and each requested path to LOG.
It ends with SIGTERM, and by itself after a minute.
"""

import functools
import http.server
import os
import signal
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):
        with open(sys.argv[3], "a", encoding="utf-8") as log:
            log.write(self.path + "\n")


def main():
    signal.alarm(60)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0),
        functools.partial(Handler, directory=sys.argv[1]))
    with open(sys.argv[2] + ".new", "w", encoding="utf-8") as file:
        file.write(str(server.server_address[1]))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    server.serve_forever()


if __name__ == "__main__":
    main()
