# SPDX-License-Identifier: Apache-2.0
"""A server that answers each request with its next file.

usage: server.py PORT_FILE ANSWER...: 200, 500 and so on are the status of what
follows; it says what it was asked.
"""

import gzip
import http.server
import sys
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        text = " ".join(body.decode().split())
        print(query["query"][0] if "query" in query else text, flush=True)
        status, answer = self.server.answers.pop(0)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        data = answer.encode().decode("unicode_escape").encode("latin-1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *unused):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
server.answers = [(int(status), answer) for status, answer in
                  zip(sys.argv[2::2], sys.argv[3::2])]
with open(sys.argv[1], "w", encoding="ascii") as file:
    print(server.server_port, file=file)
while server.answers:
    server.handle_request()
