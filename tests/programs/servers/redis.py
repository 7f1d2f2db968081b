# SPDX-License-Identifier: Apache-2.0
"""redis-server, which contains jemalloc, under redis-benchmark."""

import signal

from server import Server, client, serve


def ask(port, *words):
    return client(["redis-cli", "-p", str(port), *words])


def job(wrap, folder, port):
    server = Server(
        wrap(["/usr/bin/redis-server", "--port", str(port), "--bind",
              "127.0.0.1", "--save", "", "--dir", folder]), port, folder)
    try:
        status, out, _ = client(
            ["redis-benchmark", "-p", str(port), "-n", "20000", "-r", "1000",
             "-q", "-t", "set,get,lpush,lpop,sadd,zadd,mset"])
        tests = out.count(b"requests per second")
        answers = [ask(port, "set", "key", "value"), ask(port, "get", "key"),
                   ask(port, "debug", "sleep", "0"),
                   ask(port, "bgsave")[0], ask(port, "dbsize")[0]]
    finally:
        ended = server.stop(signal.SIGTERM)
    return status, tests, answers, ended


account, _ = serve(job)
assert account.total("allocations") > 10000, account.total("allocations")
assert not account.negative_rows()
