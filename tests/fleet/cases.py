# SPDX-License-Identifier: Apache-2.0
"""Rare cases of a fleet: odd names, labels of some hosts, wrong clocks, two
snapshots in one second, the same ledger again, half a batch, releases at one
path."""

import json
import os
import shutil
import subprocess
import time

from tls import Tls

BUILD = "ab" * 20
HOUR = 3600
ODD = b"q'\"\\ \n\t\r\b\f\x01\xff;--{by}%s\\N\xe2\x82\xac"
ESCAPES = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r",
           39: b"\\'", 92: b"\\\\"}

# Its functions have the same addresses in both releases, swapped.
RELEASES = [(("cache_fill", 1000), ("log_open", 50000)),
            (("log_open", 50000), ("cache_fill", 900000))]
FUNCTION = """
__attribute__((noinline)) void {}(void)
{{ kept[{}] = malloc({}); __asm__ volatile(""); }}
"""


def equal(what, expected, found):
    assert expected == found, f"{what}: expected {expected!r}, found {found!r}"


def tabbed(text):
    return b"".join(ESCAPES.get(byte, bytes([byte])) for byte in text)


class Cases:
    def __init__(self, store, servers, folder):
        self.store, self.servers = store, servers
        self.folder = folder
        self.pid = 0
        self.now = int(time.time())
        os.makedirs(folder)

    def ledger(self, stacks, age=HOUR, pid=None, name=b"work", ns=0,
               build=BUILD):
        """Return a process that ended a given time ago with `stacks`: bytes by
        address."""
        self.pid += 1
        end = (self.now - age) * 10**9 + ns
        path = os.path.join(self.folder, f"{self.pid}.stacks")
        with open(path, "wb") as file:
            file.write(b"tally stacks 1\nimage\t/bin/x\t%d\t%d\t%d\t1\n" % (
                pid or self.pid, end // 10**9 * 10**9 - 10**9, end))
            for address, size in stacks.items():
                file.write(b"names\t%s\t%d\t/bin/x\t['%s%d']\t['%s']\t[%d]\n"
                           % (build.encode(), address, tabbed(name), address,
                              tabbed(name), address))
                file.write(b"stack\theap\t[]\t[]\t['%s']\t[%d]\t1\t%d\t1\t%d\t"
                           b"0\t0\n" % (build.encode(), address, size, size))
        return path

    def add(self, service, *paths, **options):
        return self.store.run("add", f"--service={service}", *(
            f"--{name.replace('_', '-')}={value}"
            for name, value in options.items()), *paths)

    def held(self, service):
        return [(row["live_bytes"], row["processes"])
                for row in self.store.rows("top", f"--service={service}")]

    def odd_names(self):
        text = os.fsdecode(ODD)
        self.add(text, self.ledger({8: 64}, name=ODD), host=text,
                 service_version=text, label="k=" + text)
        shown = ODD.decode(errors="replace")
        for by in ("service", "version", "host"):
            row, = self.store.rows(
                "top", f"--by={by}", f"--service={text}", f"--host={text}",
                f"--service-version={text}", f"--label=k={text}")
            equal("an odd " + by, [64, shown], [row["live_bytes"], row[by]])
        row, = self.store.rows("top", "--by=stack", f"--service={text}")
        equal("an odd function", f"{shown}8 {shown}:8", row["call"])
        equal("none of it is SQL", [], self.store.rows(
            "top", "--service=x' OR '1' = '1"))

    def labels(self):
        """Six hosts of two zones and three racks show no growth and no
        outlier; but fewer hosts of one zone have the new version."""
        for host in range(6):
            self.add("zoned", self.ledger({16: 100}, 2 * HOUR - HOUR *
                                          (host >= 4)),
                     f"--label=zone={'aaabab'[host]}", host=f"h{host}",
                     label=f"rack={host % 3}",
                     service_version=1 + (host >= 4))
        equal("growth of a zone", [], self.store.rows(
            "diff", "--service=zoned", "--label=zone=a"))
        equal("odd hosts of a rack", [], self.store.rows(
            "top", "--outliers", "--service=zoned", "--label=rack=1"))
        said = json.loads(self.store.run(
            "top", "--service=zoned", "--label=zone=a", "--format=json"))
        equal("processes of a zone", 4, said["processes"])

    def services(self):
        """Each is compared with its own release before, and by process."""
        for age, version, held in ((3, 1, 1000), (3, 1, 1000), (2, 2, 100)):
            self.add("small", self.ledger({16: held}, age * HOUR),
                     service_version=version)
        grown = self.store.rows("diff", "--top=100000")
        for service, count in (("small", 1), ("zoned", 0)):
            rows = self.store.rows("diff", f"--service={service}")
            equal(f"rows of {service}", count, len(rows))
            equal(f"{service} among all", rows, [
                row for row in grown if row["service"] == service])
        assert any(row["service"] == "web" for row in grown)
        for order in ([], ["--since=150m"]):
            row, = self.store.rows("diff", "--service=small", *order)
            equal("what shrank", [-900, 1000, 100], [
                row[key] for key in ("growth", "before", "after")])
        self.store.run("diff", "--service=small", "--from-version=2",
                       "--to-version=3", status=2)

    def unequal(self):
        """With fewer hosts before than after no byte is lost in between."""
        self.add("uneven", *(self.ledger({16: 7}, 2 * HOUR)
                             for _ in range(7)), service_version=1)
        self.add("uneven", *(self.ledger({16: 8}) for _ in range(9)),
                 service_version=2)
        row, = self.store.rows("diff", "--service=uneven")
        equal("a byte each", [9, 7, 8], [
            row[key] for key in ("growth", "before", "after")])

    def one_release(self):
        """A release compared with nothing counts in no answer of diff."""
        def processes():
            return json.loads(self.store.run("diff", "--format=json"))[
                "processes"]

        before = processes()
        self.add("alone", self.ledger({16: 1}), service_version=1)
        equal("processes of both sides", before, processes())

    def median(self):
        """The median of an even number of hosts lies between two of them."""
        for host, held in enumerate((10, 10, 30, 80)):
            self.add("even", self.ledger({16: held}), host=f"e{host}")
        equal("an even number of hosts", [("e3", 80, 20)], [
            (row["host"], row["value"], row["median"]) for row in
            self.store.rows("top", "--outliers", "--service=even")])

    def moved(self):
        """A host has a label for as long as its last snapshot has it."""
        for host in range(7):
            for ns, label in enumerate(("rack=9", "rack=8")[:1 + (host > 2)]):
                self.add("moved", self.ledger({16: 10}, pid=900 + host, ns=ns),
                         host=f"m{host}", label=label)
        equal("odd hosts of what is left of a rack", [], self.store.rows(
            "top", "--outliers", "--service=moved", "--label=rack=9"))

    def twins(self):
        """A stack number is from the newer build, and finds both."""
        for version, build, held in ((1, "ac", 100), (2, "ad", 300)):
            self.add("twins", self.ledger(
                {16: held}, (3 - version) * HOUR, build=build * 20),
                     service_version=version)
        row, = self.store.rows("top", "--by=stack", "--service=twins")
        equal("both builds", 400, row["live_bytes"])
        for version, held in ((1, 100), (2, 300)):
            for asked in ("top", "report"):
                equal(f"{asked} of version {version}", [held], [
                    found["live_bytes"] for found in self.store.rows(
                        asked, f"--stack={row['stack']}", "--service=twins",
                        f"--service-version={version}")])

    def tally(self, *arguments):
        return subprocess.run(
            [self.store.tally, *arguments], check=True, timeout=120,
            capture_output=True, env=self.store.environment).stdout

    def release(self, functions, *flags):
        """Return a ledger of the program at its path, with these functions."""
        program = os.path.join(self.folder, "released")
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write("#include <stdlib.h>\nvoid *kept[2];\n")
            for number, (name, size) in enumerate(functions):
                file.write(FUNCTION.format(name, number, size))
            file.write("int main(void)\n{ cache_fill(); log_open(); }\n")
        subprocess.run(["cc", "-g", "-O1", *flags, "-o", program,
                        program + ".c"], check=True, timeout=120)
        self.pid += 1
        path = os.path.join(self.folder, f"{self.pid}.tally")
        self.tally("record", "--quiet", "-o", path, "--", program)
        return path

    def one_path(self):
        """Without a build-id releases differ by their versions."""
        for version, functions in enumerate(RELEASES):
            self.add("path", self.release(functions, "-Wl,--build-id=none"),
                     service_version=version)
        equal("who grew", [("cache_fill", 1000, 900000, 899000)], [
            (row["call"].split()[0], row["before"], row["after"],
             row["growth"])
            for row in self.store.rows("diff", "--service=path",
                                       "--from-version=0", "--to-version=1")])

    def same_file(self):
        """The ledger written by the store equals the original."""
        path = self.release(RELEASES[0])
        self.add("written", path)
        self.store.run("report", "--service=written", "-o", path + ".stacks")
        said = json.loads(self.tally("diff", "--json", path, path + ".stacks"))
        equal("what has changed", [
            (name, "both", size, size) for name, size in RELEASES[0]], sorted(
                (row["function"], row["state"], row["bytes_before"],
                 row["bytes_after"]) for row in said["rows"]))

    def same_second(self):
        for ns, held in ((1, 64), (2, 640), (3, 128)):
            self.add("quick", self.ledger({16: held}, pid=7, ns=ns * 10**8))
        equal("the last of a second", [(128, 1)], self.held("quick"))

    def clocks(self):
        self.store.run("add", "--service=clock", self.ledger(
            {16: 1}, self.now - 5), self.ledger({16: 2}), self.ledger(
                {16: 4}, -2**32), status=2)
        equal("what had a time", [(2, 1)], self.held("clock"))

    def merge(self, table):
        """Merge a table on its leader; after a kill a server does not lead at
        once."""
        question = f"OPTIMIZE TABLE tally_{table}{self.servers.suffix} FINAL"
        for number in range(self.servers.count):
            if self.servers.ask(
                    number, "SELECT is_leader FROM system.replicas WHERE table "
                    f"= 'tally_{table}_local'") == [["0"]]:
                continue
            for left in range(30, -1, -1):
                try:
                    self.servers.ask(number, question)
                    break
                except AssertionError:
                    if left == 0:
                        raise
                    time.sleep(1)

    def again(self):
        path = self.ledger({16: 64, 32: 128})
        other = shutil.copy(path, path + ".copy")
        self.add("again", path, other, path)
        for table in ("samples", "snapshots", "stacks"):
            self.merge(table)
        self.add("again", other)
        equal("the same ledger", [(192, 1)], self.held("again"))

    def half(self):
        """Delete all but the snapshot's own row, then all."""
        path = self.ledger({16: 64})
        for number in range(self.servers.count):
            self.servers.ask(number, "RENAME TABLE tally_snapshots TO hidden")
        self.store.run("add", "--service=half", path, status=2)
        for number in range(self.servers.count):
            self.servers.ask(number, "RENAME TABLE hidden TO tally_snapshots")
        equal("half a snapshot", [["1"]], self.servers.ask(
            0, "SELECT count() FROM tally_samples WHERE service = 'half'"))
        equal("counts nowhere", [], self.held("half"))
        self.add("half", path)
        equal("and then whole", [(64, 1)], self.held("half"))

    def sizes(self):
        equal("no stack", "1 snapshot with 0 samples is in the store\n",
              self.add("empty", self.ledger({})))
        stacks = {16 * number: number for number in range(1, 8501)}
        self.add("many", self.ledger(stacks))
        rows = self.store.rows("top", "--by=stack", "--service=many",
                               "--top=9000")
        wrong = [row for row, (address, held) in zip(
            rows, reversed(stacks.items())) if (row["live_bytes"], row[
                "call"]) != (held, f"work{address} work:{address}")]
        equal("many stacks", (8500, []), (len(rows), wrong[:3]))

    def seen(self):
        """A stack exists for as long as its youngest sample."""
        for age in (60, 120):
            self.add("seen", self.ledger({999: 1}, age))
        self.merge("stacks")
        equal("when it was seen", [[str(self.now - 60)]], self.servers.ask(
            0, "SELECT toUnixTimestamp(max(seen)) FROM tally_stacks WHERE "
            "addresses = [999]"))

    def recorded(self):
        """The stored figures of a real program equal the report's."""
        for mode in ("all", "caller", "sampled"):
            path = os.path.join(self.folder, mode + ".tally")
            self.tally("record", "--quiet", "-o", path, f"--stacks={mode}",
                       *["--interval=4K"][:mode == "sampled"], "--",
                       "/usr/bin/python3", "-c", "import json")
            said = json.loads(self.tally("report", "--json", path))
            sites = said["sites"] + said["maps"]
            self.add("recorded", path, service_version=mode)
            row, = self.store.rows("top", "--service=recorded",
                                   f"--service-version={mode}")
            equal("sums of " + mode, [
                sum(site[key] for site in sites) for key in
                ("bytes_live", "blocks_live", "bytes_total")],
                [row[key] for key in ("live_bytes", "live_blocks",
                                      "total_bytes")])
            assert said["maps"] and row["live_bytes"] > 0

    def https(self):
        """Connect by a verified certificate."""
        with Tls(self.folder, self.servers.http[0]) as tls:
            db = f"clickhouses://default@localhost:{tls.port}/fleet"
            self.store.run("top", db=db, status=2)
            self.store.environment["SSL_CERT_FILE"] = tls.certificate
            assert "quick" in self.store.run("top", db=db)
            self.store.run("top", db=db.replace("localhost", "127.0.0.2"),
                           status=2)
            self.store.run("top", db=db.replace("houses", "house"), status=2)

    def all(self):
        self.odd_names()
        self.labels()
        self.services()
        self.unequal()
        self.one_release()
        self.median()
        self.moved()
        self.twins()
        self.one_path()
        self.same_file()
        self.same_second()
        self.clocks()
        self.again()
        self.half()
        self.sizes()
        self.seen()
        self.recorded()
        self.https()
