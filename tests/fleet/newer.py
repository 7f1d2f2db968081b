# SPDX-License-Identifier: Apache-2.0
"""One server of today's ClickHouse, on the loopback: its engine comes from npm
and has half a gigabyte, so this is not part of `make check`."""

import os
import shutil
import subprocess

from programs import Programs, get
from servers import free_ports

ENGINE = "chdb@3.4.0"  # ClickHouse 26.7


class Newer(Programs):
    count = 1
    suffix = ""
    are_shards = False

    def __enter__(self):
        os.makedirs(self.folder)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--prefix",
                        self.folder, ENGINE], check=True)
        self.http = free_ports(1)
        self.begin("server", [
            shutil.which("node"),
            os.path.join(os.path.dirname(os.path.abspath(__file__)),
                         "newer.mjs"),
            os.path.join(self.folder, "data"), str(self.http[0])],
            cwd=self.folder)
        self.wait("server", lambda: self.post(None) == b"Ok.\n")
        return self

    def db(self, *_):
        return f"clickhouse://127.0.0.1:{self.http[0]}/fleet"

    def post(self, question):
        return get(self.http[0], "/?database=fleet", question)

    def ask(self, _, question):
        return [line.split("\t") for line in
                self.post(question.encode()).decode().splitlines()]
