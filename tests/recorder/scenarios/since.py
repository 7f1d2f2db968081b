# SPDX-License-Identifier: Apache-2.0
"""tally report --since: allocations and frees between two instants."""

import json
import os
import socket as sockets
import struct
import subprocess
import time

from harness import scenario, watchdog
from harness.scenario import equal
from harness.steps import Steps

NAMES = ("blocks_total", "bytes_total", "blocks_freed", "bytes_freed",
         "blocks_growth", "bytes_growth", "blocks_inherited", "blocks_live")


def check(rows, name, *wanted):
    equal(name, wanted, tuple(rows[name][key] for key in NAMES))


def exactly(place):
    with Steps(place) as steps:
        steps.do("aabt")
        steps.run("snapshot", "-o", "one", steps.pid)
        steps.do("affbt")
        steps.run("snapshot", "-o", "two", steps.pid)
        for source in (steps.pid, "two"):
            rows = steps.rows("--since=one", source)
            check(rows, "first", 100, 100000, 60, 60000, 40, 40000, 200, 240)
            check(rows, "second", 50, 1200, 0, 0, 50, 1200, 50, 100)
            check(rows, "short_lived", 100, 7700, 100, 7700, 0, 0, 0, 0)
            equal("temporary", 100, rows["short_lived"]["temporary"])
        report = json.loads(steps.run("report", "--json", "--since=one",
                                      "two").stdout)
        totals = report["totals"]
        equal("totals", (250, 160, 108900, 67700, 41200), tuple(
            totals[key] for key in ("allocations", "frees", "bytes_allocated",
                                    "bytes_freed", "bytes_growth")))
        equal("others", None, totals["peak_bytes"])
        # Only frees: fewer bytes are live than then.
        steps.do("f")
        rows = steps.rows("--since=two", steps.pid)
        check(rows, "first", 0, 0, 30, 30000, -30, -30000, 240, 210)
        equal("what did not change", ["first"], list(rows))
        said = steps.run("report", "--since=two", steps.pid).stdout.decode()
        assert "since two, " in said and "-30,000" in said, said
        tree = steps.run("report", "--since=one", "--reverse",
                         "two").stdout.decode()
        assert "short_lived" in tree, tree
        equal("with itself", {}, steps.rows("--since=two", "two"))


def older(row):
    return tuple(row[f"{unit}_older_{end}"] for unit in ("blocks", "bytes")
                 for end in ("least", "most"))


def what_is_older(place):
    """Test a stack of which it is unknown which blocks were freed: an
    interval."""
    with Steps(place) as steps:
        steps.do("baa")
        steps.run("snapshot", "-o", "one", steps.pid)
        steps.do("aff")  # frees the newest blocks
        rows = steps.rows("--older-than=1ms", "--since=one", steps.pid)
        equal("some", (140, 200, 140000, 200000), older(rows["first"]))
        equal("all", (50, 50, 1200, 1200), older(rows["second"]))
        equal("by what is certain", ["first", "second"], list(rows))
        steps.do("ffffff")
        rows = steps.rows("--older-than=1ms", "--since=one", steps.pid)
        equal("perhaps none", (0, 60, 0, 60000), older(rows["first"]))
        equal("by what is certain", ["second", "first"], list(rows))
        said = steps.run("report", "--older-than=100ms", steps.pid)
        assert b"again in 0.1 s" in said.stderr, said.stderr
        lines = said.stdout.decode().splitlines()
        found = [line for line in lines if "0  first " in line][0]
        equal("two looks", ["60,000", "60,000", "60", "60", "60,000"],
              found.split()[:5])
        for arguments, why in (
                (["--older-than=60s", "--since=one", steps.pid], "not so old"),
                (["--older-than=60s", "one"], "--since"),
                (["--older-than=60x", steps.pid], "a time such as"),
                (["--older-than=1s", "--leaks", steps.pid],
                 "cannot be combined")):
            steps.refused("report", *arguments, why=why)


def of_samples(place):
    """Test that totals are estimates, and marked as such."""
    with Steps(place, "--stacks=sampled", "--interval=1000") as steps:
        steps.do("aaaa")
        steps.run("snapshot", "-o", "one", steps.pid)
        steps.do("aaa")
        row = steps.rows("--since=one", steps.pid)["first"]
        assert 150 < row["blocks_total"] < 450, row
        report = json.loads(steps.run("report", "--json", "--since=one",
                                      steps.pid).stdout)
        low, high = report["totals"]["intervals"]["bytes_allocated"]
        assert low < report["totals"]["bytes_allocated"] < high, (low, high)
        assert high - low < 400000, (low, high)
        steps.run("report", "--since=one", steps.pid)
        steps.refused("report", "--older-than=1ms", "--since=one", steps.pid,
                      why="--lifetimes")


def refused(place):
    with Steps(place) as steps, Steps(place, "-o",
                                      place.file("other.tally")) as other:
        steps.do("a")
        other.do("a")
        steps.run("snapshot", "-o", "one", steps.pid)
        steps.do("a")
        steps.run("snapshot", "-o", "two", steps.pid)
        for arguments, why in (
                (["--since=one", other.pid], "recording of another process"),
                (["--since=two", "one"], "the later recording"),
                (["--since=none", "one"], "No such file"),
                (["--since=" + __file__, "one"], "not a"),
                (["--since=one", "--all", "two"], "leave out --all"),
                (["--since=one", "--peak", "two"], "cannot be combined"),
                (["--since=one", "--sort=peak", "two"], "--s")):
            steps.refused("report", *arguments, why=why)


class Witnessed:
    """A program whose calls a shim counts before Tally does."""

    def __init__(self, place, command, **streams):
        build = os.path.dirname(os.path.dirname(place.recorder.tally))
        library = os.path.join(build, "tests/programs/agreement/witness.so")
        self.place = place
        self.file = place.file("counts")
        script = 'LD_PRELOAD="$0:$LD_PRELOAD"; export LD_PRELOAD; ' \
            'COUNTING_SHIM="$1"; export COUNTING_SHIM; shift; exec "$@"'
        self.tally = subprocess.Popen(
            [place.recorder.tally, "record", "-q", "-o", place.file("w.tally"),
             "--", "/bin/sh", "-c", script, library, self.file, *command],
            env=watchdog.clean_environment(), **streams)

    def counts(self):
        try:
            with open(self.file, "rb") as file:
                return struct.unpack("<4Q", file.read(32))
        except (OSError, struct.error):
            return None

    def snapshot(self, name):
        """Return counts of one instant: none changed meanwhile."""
        def take():
            before = self.counts()
            if os.path.exists(path):
                os.remove(path)
            outcome = watchdog.run([self.place.recorder.tally, "snapshot", "-o",
                                    path, str(self.tally.pid)])
            # The shell may not have executed the program yet.
            return outcome.status == 0 and before is not None and \
                before == self.counts()

        path = self.place.file(name)
        time.sleep(0.05)
        scenario.wait_until(take, "a pause of the program")
        return self.counts()

    def compare(self, work):
        before = self.snapshot("before")
        work()
        after = self.snapshot("after")
        outcome = watchdog.run(
            [self.place.recorder.tally, "report", "--json",
             "--since=" + self.place.file("before"), self.place.file("after")])
        report = json.loads(outcome.stdout)
        totals = report["totals"]
        counted = tuple(b - a for a, b in zip(before, after))
        assert counted[0] > 1000, counted
        equal("allocations, frees, bytes, bytes freed", counted, tuple(
            totals[name] for name in ("allocations", "frees",
                                      "bytes_allocated", "bytes_freed")))
        diff = json.loads(watchdog.run(
            [self.place.recorder.tally, "diff", "--json", "--kind=heap",
             self.place.file("before"), self.place.file("after")]).stdout)
        print(f"    {counted[0]} and {counted[1]} blocks, "
              f"{counted[2]} and {counted[3]} bytes")
        equal("tally diff", (counted[0] - counted[1], counted[2] - counted[3]),
              (diff["growth"]["blocks"], diff["growth"]["bytes"]))
        for rows, whole in (("blocks_total", "allocations"),
                            ("blocks_freed", "frees"),
                            ("bytes_total", "bytes_allocated"),
                            ("bytes_growth", "bytes_growth")):
            equal(whole, totals[whole],
                  sum(row[rows] for row in report["sites"]))


def as_a_shim_counts_python(place):
    program = Witnessed(place, ["/usr/bin/python3", "-Eq", "-c",
                                "while True: exec(input())"],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def work():
        program.tally.stdin.write(
            b"import json, re; a = [dict(x=str(i), y=[i] * 40) for i in "
            b"range(9000)]; b = json.dumps(a); a = a[::9]; "
            b"print('done', flush=True)\n")
        program.tally.stdin.flush()
        equal("answer", b"done\n", program.tally.stdout.readline())

    try:
        program.compare(work)
    finally:
        program.tally.communicate(b"raise SystemExit\n", timeout=30)


def as_a_shim_counts_redis(place):
    socket = place.file("redis.sock")
    client = ["/usr/bin/redis-cli", "-s", socket]
    program = Witnessed(
        place, ["/usr/bin/redis-server", "--port", "0", "--unixsocket", socket,
                "--save", "", "--daemonize", "no"], stdout=subprocess.DEVNULL)

    def work():
        script = "for i = 1, 5000 do redis.call('set', i, 'value' .. i) end " \
            "for i = 1, 5000, 3 do redis.call('del', i) end"
        equal("script", 0, watchdog.run([*client, "eval", script, "0"]).status)

    try:
        scenario.wait_until(
            lambda: watchdog.run([*client, "ping"]).stdout == b"PONG\n",
            "redis-server")
        program.compare(work)
    finally:
        watchdog.run([*client, "shutdown", "nosave"])
        program.tally.wait(timeout=30)


def as_a_shim_counts_nginx(place):
    socket = place.file("nginx.sock")
    scenario.write_file(place.file("nginx.conf"), f"""
daemon off; master_process off; pid {place.file("pid")};
error_log stderr crit;
events {{ }}
http {{ access_log off;
       server {{ listen unix:{socket}; location / {{ return 200 "yes"; }} }} }}
""")
    program = Witnessed(place, ["/usr/sbin/nginx", "-c",
                                place.file("nginx.conf"), "-p", place.folder])

    def ask(times):
        for _ in range(times):
            with sockets.socket(sockets.AF_UNIX) as asked:
                asked.connect(socket)
                asked.sendall(b"GET / HTTP/1.0\r\n\r\n")
                equal("answer", True, asked.recv(4096).startswith(b"HTTP"))
                while asked.recv(4096):
                    pass

    try:
        scenario.wait_until(lambda: os.path.exists(socket), "nginx")
        ask(1)
        program.compare(lambda: ask(300))
    finally:
        program.tally.terminate()
        program.tally.wait(timeout=30)


scenario.main(exactly, what_is_older, of_samples, refused,
              as_a_shim_counts_python, as_a_shim_counts_redis,
              as_a_shim_counts_nginx)
