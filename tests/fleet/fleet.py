# SPDX-License-Identifier: Apache-2.0
"""Send ledgers of many hosts to two servers, one of which is killed meanwhile.

They are replicas, or shards; or one server of today's version, which is not
killed.

All sent data is stored once and exactly; and each question of tally store has
the answer computed here.

usage: fleet.py replicas|shards|newer BUILD [LEDGERS [HOSTS [STACKS]]]
"""

import concurrent.futures
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import servers as fleet_servers
from cases import Cases
from newer import Newer
from servers import CLUSTER, Servers

WRITERS = 8
BUILDS = ("5f" * 20, "60" * 20)  # each version is a build of its own
OTHER = "61" * 20  # a library that no release changes
VERSIONS = ("1.0", "1.1")
LEAKY = 7  # the stack that grew in the second version
ODD_HOST = 3  # ... and the host that holds far more of another
ODD_STACK = 11
TWIN = 12  # named like LEAKY, in the library
PASSWORD = "s3:cr@/t %"


def address(stack, depth, version):
    return 4096 + 64 * stack + 4 * depth + 4096 * version


def place(stack, version):
    """Return the place of its innermost call."""
    return ((OTHER, 64) if stack == TWIN else
            (BUILDS[version], address(stack, 0, version)))


def names_of(stacks, version):
    yield from (f"names\t{BUILDS[version]}\t{address(0, 1, version)}\t"
                f"/usr/bin/web\t['main']\t['web.c']\t[9]\n",)
    for stack in range(stacks):
        build, where = place(stack, version)
        path = "/usr/lib/libodd.so.2" if stack == TWIN else "/usr/bin/web"
        number = LEAKY if stack == TWIN else stack
        yield (f"names\t{build}\t{where}\t{path}\t"
               f"['work_{number}','it\\'s']\t['work.c','odd\\tname.c']\t"
               f"[{number + 1 + 100 * version},5]\n")


class Fleet:
    """The sent ledgers, and their sums."""

    def __init__(self, folder, ledgers, hosts, stacks):
        self.folder, self.hosts, self.stacks = folder, hosts, stacks
        self.each = ledgers // hosts // len(VERSIONS)
        self.samples = self.bytes = self.blocks = self.total = 0
        self.latest = {}  # by version, host and stack: live bytes
        self.names = ["".join(names_of(stacks, version))
                      for version in range(len(VERSIONS))]
        self.random = random.Random(1)
        self.start = int(time.time()) - 3600
        if self.start // 86400 != (self.start + 3600) // 86400:
            self.start -= 3600  # all of it is one day
        for host in range(hosts):
            for version in range(len(VERSIONS)):
                self.write(host, version)

    def path(self, host, version):
        return os.path.join(self.folder, f"host{host}", VERSIONS[version])

    def write(self, host, version):
        os.makedirs(self.path(host, version))
        held = [0] * self.stacks
        total = [0] * self.stacks
        began = self.start + version * 1200 + host
        for number in range(self.each):
            rows = []
            for stack in range(self.stacks):
                total[stack] += self.random.randrange(1, 9)
                held[stack] = self.random.randrange(1, 1 + total[stack])
                if stack == LEAKY:
                    held[stack] = total[stack] = 100 + 900 * version
                if stack == ODD_STACK and host == ODD_HOST:
                    held[stack] = total[stack] = 1 << 20
                live, all_of_it = held[stack] * 32, total[stack] * 32
                build, where = place(stack, version)
                rows.append(
                    f"stack\theap\t['thread']\t['worker']\t"
                    f"['{build}','{BUILDS[version]}']\t"
                    f"[{where},{address(0, 1, version)}]\t{held[stack]}\t"
                    f"{live}\t{total[stack]}\t{all_of_it}\t"
                    f"{total[stack] - held[stack]}\t{all_of_it - live}\n")
                self.samples += 1
                self.bytes += live
                self.blocks += held[stack]
                self.total += all_of_it
                self.latest[version, host, stack] = live
            path = f"{self.path(host, version)}/{number:05}.stacks"
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"tally stacks 1\nimage\t/usr/bin/web\t"
                           f"{1000 + version}\t{began * 10**9}\t"
                           f"{(began + number + 1) * 10**9}\t0\n"
                           f"{self.names[version]}{''.join(rows)}")

    def latest_sum(self, *wanted):
        return sum(held for key, held in self.latest.items() if all(
            want is None or want == part for want, part in zip(wanted, key)))


class Store:
    def __init__(self, build, db):
        self.tally = os.path.join(build, "bin", "tally")
        self.db = db
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith("TALLY_")} | {
                "no_proxy": "127.0.0.1", "LC_ALL": "C",
                "TALLY_DB_PASSWORD": PASSWORD}

    def run(self, *arguments, status=0, db=None):
        done = subprocess.run(
            [self.tally, "store", arguments[0], f"--db={db or self.db}",
             *arguments[1:]], capture_output=True, timeout=600, check=False,
            env=self.environment)
        assert done.returncode == status, (arguments, done.stdout, done.stderr)
        return done.stdout.decode()

    def rows(self, *arguments):
        return json.loads(self.run(*arguments, "--format=json"))["rows"]


def equal(what, expected, found):
    assert expected == found, f"{what}: expected {expected!r}, found {found!r}"


def add(store, fleet, job):
    host, version = job
    order = ["--host=host%d" % host, "--service=web",
             f"--service-version={VERSIONS[version]}",
             f"--label=zone=z{host % 3}", fleet.path(host, version)]
    said = store.run("add", *order)
    equal("what was said",
          f"{fleet.each:,} snapshot{'s' if fleet.each != 1 else ''} with "
          f"{fleet.each * fleet.stacks:,} samples "
          f"{'are' if fleet.each != 1 else 'is'} in the store\n", said)


def add_all(store, fleet, servers):
    """Send by all writers at once; a server is killed in the middle of it."""
    jobs = [(host, version) for version in range(len(VERSIONS))
            for host in range(fleet.hosts)]
    done = threading.Semaphore(0)

    def work(job):
        add(store, fleet, job)
        done.release()

    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        began = time.monotonic()
        futures = [pool.submit(work, job) for job in jobs]
        for _ in range(len(jobs) // 3):
            assert done.acquire(timeout=600)
        if servers.count > 1:
            servers.kill(1)
            if servers.are_shards:  # no writer can go on
                time.sleep(2)
            else:
                for _ in range(len(jobs) // 6):
                    assert done.acquire(timeout=600)
            servers.start(1)
        for future in futures:
            future.result()
        print(f"{fleet.samples:,} samples in {time.monotonic() - began:.1f} s")
    # Data sent again counts once.
    for job in jobs[:3]:
        add(store, fleet, job)


def check_sums(fleet, servers, store):
    if servers.are_shards:
        assert all(servers.ask(number, "SELECT count() FROM "
                               "tally_samples_local") != [["0"]]
                   for number in range(servers.count))
    elif servers.count > 1:
        servers.wait_for_replicas()
    for number in range(servers.count):
        found, = servers.ask(
            number, "SELECT count(), sum(b), sum(n), sum(t) FROM (SELECT "
            "any(live_bytes) AS b, any(live_blocks) AS n, any(alloc_bytes) AS "
            "t FROM tally_samples GROUP BY snapshot, kind, stack, label_names, "
            "label_values)")
        equal(f"sums of server {number}",
              [fleet.samples, fleet.bytes, fleet.blocks, fleet.total],
              [int(part) for part in found])
        row, = store.rows("top", "--service=web", db_of(servers, number))
        equal("top", [fleet.latest_sum(), fleet.hosts, 2 * fleet.hosts, "web"],
              [row[key] for key in ("live_bytes", "hosts", "processes",
                                    "service")])


def db_of(servers, number):
    return f"--db={servers.db(number)}"


def check_answers(fleet, store):
    by_host = {row["host"]: row["live_bytes"] for row in store.rows(
        "top", "--by=host", "--top=1000000", "--service-version=1.1")}
    equal("hosts", {f"host{host}": fleet.latest_sum(1, host)
                    for host in range(fleet.hosts)}, by_host)
    greatest = max((fleet.latest_sum(0, None, stack), stack)
                   for stack in range(fleet.stacks))
    row = store.rows("top", "--by=stack", "--top=1",
                     "--service-version=1.0")[0]
    equal("the greatest stack", (greatest[0],
          f"work_{greatest[1]} work.c:{greatest[1] + 1}"),
          (row["live_bytes"], row["call"]))
    for order in ([], ["--from-version=1.0", "--to-version=1.1"]):
        rows = store.rows("diff", "--top=1000", *order)
        equal("who grew", f"work_{LEAKY} work.c:{LEAKY + 101}",
              rows[0]["call"])
        held = [[fleet.latest_sum(v, None, stack) for v in (0, 1)]
                for stack in range(fleet.stacks)]
        equal("all that differ", sorted(
            after - before for before, after in held if after != before),
              sorted(row["growth"] for row in rows))
    equal("stacks of both builds, each once", sorted(
        map(sum, held)), sorted(row["live_bytes"] for row in store.rows(
            "top", "--by=stack", "--top=1000")))
    table = list(csv.reader(io.StringIO(
        store.run("top", "--outliers", "--top=1", "--service-version=1.1",
                  "--format=csv"))))
    equal("outlier", [["value", "median", "host", "stack", "call"],
                      [str(32 << 20), f"host{ODD_HOST}",
                       f"work_{ODD_STACK} work.c:{ODD_STACK + 101}"]],
          [table[0], [table[1][0], table[1][2], table[1][4]]])
    equal("its days", fleet.latest_sum(None, None, ODD_STACK),
          store.rows("report", f"--stack={table[1][3]}")[-1]["live_bytes"])
    equal("days", [(fleet.latest_sum(), 2 * fleet.hosts)],
          [(row["live_bytes"], row["processes"])
           for row in store.rows("report")])
    zone = store.rows("top", "--label=zone=z1")[0]
    equal("a label", sum(fleet.latest_sum(None, host)
                         for host in range(1, fleet.hosts, 3)),
          zone["live_bytes"])
    equal("none", [], store.rows("top", "--service=o'r\\\t"))


def check_file(fleet, store, place):
    """Check that the ledger from the store is a source for all other
    commands."""
    path = os.path.join(place, "all.stacks")
    store.run("report", "--service-version=1.1", "-o", path)
    def tally(*arguments):
        return subprocess.run([store.tally, *arguments], capture_output=True,
                              check=True, timeout=120,
                              env=store.environment).stdout.decode()

    lines = [line.rsplit(" ", 1) for line in tally(
        "export", "--to", "folded", "--value=live-bytes", path).splitlines()]
    equal("live bytes of the file", fleet.latest_sum(1),
          sum(int(count) for _, count in lines))
    equal("calls of it", sum(fleet.latest_sum(1, None, stack)
                             for stack in (LEAKY, TWIN)),
          sum(int(count) for frames, count in lines
              if frames.endswith(f";work_{LEAKY}")))
    assert any(frames.startswith("[zone=z1];[thread=worker];main;it's;work_")
               for frames, _ in lines), lines[:3]
    assert f"work_{LEAKY} " in tally("report", "--top=1000", path)
    assert f"of {fleet.hosts} hosts" in tally("report", path)
    tally("diff", path, path)
    tally("export", "--to", "html", "-o", path + ".html", path)
    assert os.path.getsize(path + ".html") > 10000


def check_documented(fleet, servers):
    """Ask the questions of docs/fleet.md, by the servers' own client."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "../../docs/fleet.md"),
              encoding="utf-8") as file:
        questions = re.findall("```sql\n(.*?)```", file.read(), re.DOTALL)
    services, nameless, hosts = (servers.ask(servers.count - 1, one)
                                 for one in questions)
    equal("documented services", [["web", str(fleet.latest_sum())]], services)
    equal("documented names", [], nameless)
    equal("documented hosts", sorted(f"host{n}" for n in range(fleet.hosts)),
          [row[0] for row in hosts])
    equal("its snapshots", str(2 * fleet.each), hosts[0][2])


def print_cost(servers):
    for table in ("tally_samples", "tally_stacks", "tally_names",
                  "tally_snapshots"):
        servers.ask(0, f"OPTIMIZE TABLE {table}{servers.suffix} FINAL")
    for name, rows, size in servers.ask(
            0, "SELECT table, sum(rows), sum(bytes_on_disk) FROM "
            "system.parts WHERE "
            "active AND database = 'fleet' GROUP BY table ORDER BY table"):
        print(f"{name}: {int(rows):,} rows, {int(size) / int(rows):.1f} bytes "
              "each")
    for name, size in servers.ask(
            0, "SELECT name, data_compressed_bytes FROM system.columns WHERE "
            "database = 'fleet' AND table = 'tally_samples"
            f"{servers.suffix}' "
            "ORDER BY data_compressed_bytes DESC LIMIT 8"):
        print(f"  {name} {int(size):,}")


def main(layout, build, ledgers=200, hosts=20, stacks=40):
    absent = fleet_servers.absent() if layout != "newer" else None
    if absent:
        print(f"SKIPPED: no {absent}; scripts/install-deps test")
        return 77
    with tempfile.TemporaryDirectory(prefix="tally-fleet-") as place:
        fleet = Fleet(os.path.join(place, "ledgers"), int(ledgers), int(hosts),
                      int(stacks))
        folder = os.path.join(place, "servers")
        with (Newer(folder) if layout == "newer" else
              Servers(folder, PASSWORD, layout == "shards")) as servers:
            store = Store(build, servers.db(0, 1))
            cluster = [f"--cluster={CLUSTER}"] if servers.count > 1 else []
            store.run("init", *cluster)
            store.run("init", *cluster, "--keep=40")
            add_all(store, fleet, servers)
            check_sums(fleet, servers, store)
            check_answers(fleet, store)
            check_file(fleet, store, place)
            check_documented(fleet, servers)
            print_cost(servers)
            Cases(store, servers, os.path.join(place, "cases")).all()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
