# SPDX-License-Identifier: Apache-2.0
"""A tally serve at a port of its own, and its answers."""

import http.client
import re
import shutil
import signal
import subprocess
import time
import urllib.parse

from harness import watchdog
from harness.scenario import Skip, equal


class Served:
    def __init__(self, place, *options):
        self.place = place
        self.process = subprocess.Popen(
            [place.recorder.tally, "serve", "--listen=127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=watchdog.clean_environment(), cwd=place.folder)
        self.address = self.process.stdout.readline().strip()
        self.host = urllib.parse.urlsplit(self.address).netloc

    def ask(self, path, method="GET", **headers):
        """Return status, type and body."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers.get("Content-Type"), body

    def get(self, path, **headers):
        status, _, body = self.ask(path, **headers)
        equal(f"status of {path}, {body[:200]}", 200, status)
        return body

    def during(self, path, do):
        """Request a slow page and return its status and body. Call a function
        meanwhile: once the page was requested and another request answered."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("GET", path)
        self.get("/metrics")
        time.sleep(1.5)
        do()
        answer = connection.getresponse()
        return answer.status, answer.read()

    def figure(self, pid, name, **labels):
        """Return the only figure with these labels; None if there is none."""
        found = []
        for line in self.get("/metrics").decode().splitlines():
            match = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line)
            if match is None or match[1] != name:
                continue
            of = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2]))
            if of["pid"] == pid and labels.items() <= of.items():
                found.append(float(match[3]))
        assert len(found) < 2, found
        return found[0] if found else None

    def is_listed(self, name, pid):
        row = f'>{name}</a></th><td class="number">{pid}<'
        return row.encode() in self.get("/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=60)[1]
        equal("its end", 0, self.process.returncode)
        equal("said", "", said)


def needs(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            raise Skip(f"no {tool}; scripts/install-deps test")
