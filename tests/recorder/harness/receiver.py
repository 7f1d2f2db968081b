# SPDX-License-Identifier: Apache-2.0
"""A receiver of profiles on this machine's loopback, in this process."""

import base64
import collections
import gzip
import http.server
import json
import re
import shutil
import ssl
import threading
import urllib.parse

from harness import watchdog
from harness.scenario import Skip, equal, wait_until

TYPES = ["alloc_objects/count", "alloc_space/bytes", "inuse_objects/count",
         "inuse_space/bytes"]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answer as the receiver's `ways` say, one after the other, then with
    200."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver = self.server.receiver
        way = receiver.ways.pop(0) if receiver.ways else 200
        if self.server is not receiver.server:  # stopped since
            way = "goes"
        receiver.asked.append(way)
        if way == "goes":
            self.close_connection = True
        elif way == "stalls":
            receiver.is_over.wait(20)
        elif way == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            self.close_connection = True
            try:
                while not receiver.is_over.is_set():
                    self.wfile.write(b"X: y\r\n" * 1000)
            except OSError:
                pass
        elif way == "nonsense":
            self.wfile.write(b"\0\xff nonsense\r\n\r\n" * 100)
            self.close_connection = True
        else:
            if way == "late":
                receiver.is_over.wait(1)
                way = 200
            status, *headers = way if isinstance(way, tuple) else (way,)
            if status == 200:
                receiver.received.append((self.path, self.headers, body))
            self.send_response(status)
            for header in headers:
                self.send_header(*header)
            if ("huge", "") not in headers:
                self.send_header("Content-Length", "5")
                self.end_headers()
                self.wfile.write(b"\x1b[2J\n")
                return
            self.end_headers()
            try:
                while not receiver.is_over.is_set():
                    self.wfile.write(b"x" * 1000000)
            except OSError:
                pass

    do_GET = do_POST


class Receiver:
    def __init__(self, *ways):
        self.ways = list(ways)
        self.asked = []
        self.received = []
        self.is_over = threading.Event()
        self.server = None
        self.port = 0
        self.start()

    def start(self):
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", self.port), Handler)
        self.server.receiver = self
        self.server.handle_error = lambda *_: None
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,),
                         daemon=True).start()

    def stop(self):
        server, self.server = self.server, None
        server.shutdown()
        server.server_close()

    def wrap(self, certificate, key):
        """Speak TLS from now on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket,
                                                 server_side=True)

    def url(self, path="/ingest", scheme="http"):
        return f"--to={scheme}://127.0.0.1:{self.port}{path}"

    def wait_for(self, count):
        wait_until(lambda: len(self.received) >= count, f"{count} profiles")

    def profiles(self, place):
        """Return profiles, one for each id: a sender that was killed before it
        got the answer sends a profile again, unchanged."""
        found = {}
        for one in self.received:
            before = found.setdefault(one[1]["Idempotency-Key"], one)
            equal("what came again", before[2], one[2])
        return [Profile(place, *one) for one in found.values()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over.set()
        if self.server is not None:
            self.stop()


class Profile:
    """A received profile, as `go tool pprof` reads it."""

    def __init__(self, place, path, headers, body):
        self.id = headers["Idempotency-Key"].strip('"')
        url = urllib.parse.urlsplit(path)
        if url.path.endswith("/Push"):
            series, = json.loads(body)["series"]
            sample, = series["samples"]
            self.labels = {label["name"]: label["value"]
                           for label in series["labels"]}
            equal("ID", self.id, sample["ID"])
            body = base64.b64decode(sample["rawProfile"], validate=True)
        else:
            query = dict(urllib.parse.parse_qsl(url.query))
            service, labels = query["name"].rstrip("}").split("{")
            self.labels = dict(label.split("=")
                               for label in labels.split(","))
            self.labels["service_name"] = service
            self.times = int(query["from"]), int(query["until"])
            equal("format", "pprof", query["format"])
        gzip.decompress(body)
        self.read(place, body)

    def read(self, place, body):
        """Read sums of the four values by innermost function."""
        if shutil.which("go") is None:
            raise Skip("no go; scripts/install-deps test")
        with open(place.file("profile"), "wb") as file:
            file.write(body)
        outcome = watchdog.run(
            ["go", "tool", "pprof", "-raw", place.file("profile")],
            environment={"HOME": place.folder})
        equal("pprof: " + outcome.stderr.decode(), 0, outcome.status)
        text = outcome.stdout.decode()
        equal("types", TYPES, re.search(r"^Samples:\n(.*)\n", text, re.M)[1]
              .replace("[dflt]", "").split())
        names = dict(re.findall(r"^ +(\d+): 0x\w+ M=\d+ (\S+)", text, re.M))
        self.sums = collections.defaultdict(lambda: [0, 0, 0, 0])
        for values, location in re.findall(r"^([ \d]+): (\d+) ", text, re.M):
            of = self.sums[names.get(location)]
            of[:] = [a + int(b) for a, b in zip(of, values.split())]

    def seconds(self):
        return self.times[1] - self.times[0]
