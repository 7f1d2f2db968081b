# SPDX-License-Identifier: Apache-2.0
"""BIND's named, which allocates by jemalloc's mallocx, under queries.

Live bytes of both are compared at one point. A preloaded thread waits for a
byte, reads jemalloc's stats.allocated, and allocates a block that marks the
point in the trace of events. jemalloc counts a block by its size class, Tally
by the requested bytes: nallocx gives the size class of each live block of the
trace. jemalloc counts freed blocks in its caches as allocated, so it has no
caches (tcache:false).
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

from harness import recording, watchdog
from server import PATH, Server, client, free_port

SETTINGS = """
options {{
  directory "{folder}"; pid-file "{folder}/pid";
  session-keyfile "{folder}/key"; managed-keys-directory "{folder}";
  listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};
  recursion no; dnssec-validation no;
}};
controls {{ }};
zone "example.test" {{ type primary; file "{folder}/zone"; }};
"""
ZONE = """$TTL 60
@ SOA ns.example.test. root.example.test. 1 60 60 60 60
@ NS ns
ns A 127.0.0.1
"""
HOSTS, QUERIES, MARK = 5000, 100, 12345677
HELPER = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void *answer(void *unused) {
    int question = open("question", O_RDONLY), reply;
    uint64_t epoch = 1;
    size_t allocated = 0, size = sizeof epoch;
    char text[32];
    while (read(question, text, 1) == 1) {
        mallctl("epoch", &epoch, &size, &epoch, size);
        size = sizeof allocated;
        mallctl("stats.allocated", &allocated, &size, NULL, 0);
        free(malloc(%d));
        reply = open("reply", O_WRONLY);
        dprintf(reply, "%%zu", allocated);
        close(reply);
    }
    return unused;
}
__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    if (strcmp(program_invocation_short_name, "named") == 0)
        pthread_create(&thread, NULL, answer, NULL);
}
""" % MARK
CLASSES = """
#include <jemalloc/jemalloc.h>
#include <stdio.h>
int main(void) {
    size_t size, sum = 0;
    while (scanf("%zu", &size) == 1)
        sum += nallocx(size == 0 ? 1 : size, 0);
    return printf("%zu", sum) < 1;
}
"""
EVENT = re.compile(r"#([mcrf]):0x([0-9a-f]+);0x[0-9a-f]+-(\S+)")


def prepare(folder, port):
    with open(f"{folder}/named.conf", "w", encoding="utf-8") as file:
        file.write(SETTINGS.format(folder=folder, port=port))
    with open(f"{folder}/zone", "w", encoding="utf-8") as file:
        file.write(ZONE)
        for i in range(HOSTS):
            file.write(f"h{i} A 127.0.{i >> 8}.{i & 255}\n"
                       f"h{i} TXT \"{'x' * (i % 200)}\"\n")
    for name in ("question", "reply"):
        os.mkfifo(f"{folder}/{name}")
    for name, text, options in (("helper.so", HELPER, ["-shared", "-fPIC"]),
                                ("classes", CLASSES, [])):
        with open(f"{folder}/{name}.c", "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["cc", *options, f"{name}.c", "-o", name, "-ljemalloc"],
                       cwd=folder, check=True)


def ask(port, number):
    status, out, _ = client(
        ["dig", "-p", str(port), "@127.0.0.1", f"h{number}.example.test", "A",
         "+short", "+time=10", "+tries=1"])
    assert (status, out) == (0, b"127.0.0.%d\n" % number), (status, out)


def live_sizes(trace):
    """Return the sizes of the live blocks when the mark is allocated."""
    live = {}
    for line in trace.splitlines():
        found = EVENT.match(line)
        if found is None:
            continue
        op, result, rest = found.groups()
        result, rest = int(result, 16), [int(word, 0)
                                         for word in rest.split(";")]
        if op in "rf":
            live.pop(rest[0], None)
        if op == "m" and rest[0] == MARK:
            return list(live.values())
        if op != "f" and result != 0:
            live[result] = rest[0] * rest[1] if op == "c" else rest[-1]
    raise AssertionError("no mark in the trace")


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tally-named-") as folder:
        port = free_port()
        prepare(folder, port)
        recorder = recording.Recorder(build, folder)
        server = Server(
            ["env", "MALLOC_CONF=tcache:false",
             f"LD_PRELOAD={folder}/helper.so", recorder.tally, "record",
             "--quiet", f"--events={folder}/events", "-o", f"{folder}/ledger",
             "--", "/usr/sbin/named", "-g", "-n", "1", "-c",
             f"{folder}/named.conf"], port, folder)
        try:
            for i in range(QUERIES):
                ask(port, i)
            with open(f"{folder}/question", "wb") as question:
                question.write(b"?")
            with open(f"{folder}/reply", "rb") as reply:
                allocated = int(reply.read())
        finally:
            ended = server.stop(signal.SIGTERM)
        assert ended == 0, (ended, server.output)
        outcome = watchdog.run([recorder.tally, "decode", f"{folder}/events"])
        assert outcome.status == 0, outcome.stderr
        sizes = live_sizes(outcome.stdout.decode())
        classes = int(watchdog.run(
            [f"{folder}/classes"],
            stdin=" ".join(map(str, sizes)).encode()).stdout)
        account = recorder.first()
    print(f"requested {sum(sizes):,} bytes, by size class {classes:,}; "
          f"jemalloc has {allocated:,} allocated")
    assert abs(classes - allocated) <= 0.01 * allocated, (classes, allocated)
    # named's requests by mallocx are nearly all its memory.
    assert allocated > 8 << 20, allocated
    assert account.lost("unseen_frees") == 0
    assert account.total("leaked_bytes") < 1 << 20, account.total(
        "leaked_bytes")
    assert not account.notices(), account.notices()


main()
