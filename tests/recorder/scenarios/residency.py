# SPDX-License-Identifier: Apache-2.0
"""Stacks that keep pages resident: the sum equals the kernel's, and freed
pages return as forecast.

TALLY_TEST_SCALE=10 makes redis hold ten times as many keys, a million.
"""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import time

from harness import scenario, stack_tables, watchdog
from harness.scenario import equal, wait_until

MIB = 1 << 20
KEYS = 100000 * int(os.environ.get("TALLY_TEST_SCALE", "1"))
BATCH = 5000


def near(what, expected, found, percent):
    assert abs(found - expected) <= expected * percent / 100, \
        f"{what}: {found} is not within {percent} % of {expected}"


@contextlib.contextmanager
def running(place, command, options=()):
    """Run a recorded program, which ends with its input."""
    tally = subprocess.Popen(
        place.recorder.command(command, options=list(options)),
        env=watchdog.clean_environment(), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, start_new_session=True)
    try:
        yield tally
    except BaseException:
        os.killpg(tally.pid, signal.SIGKILL)
        raise
    finally:
        tally.stdin.close()
        tally.wait(timeout=60)
        tally.stdout.close()


def tell(tally, line, answer):
    tally.stdin.write(line)
    tally.stdin.flush()
    equal("answer", answer, tally.stdout.readline())


def report(place, source):
    outcome = watchdog.run([place.recorder.tally, "report", "--resident",
                            "--json", str(source)])
    equal("standard error", b"", outcome.stderr)
    equal("status", 0, outcome.status)
    return stack_tables.loads(outcome.stdout)


def heap_resident(pid):
    """Return the kernel's figures of [heap]."""
    text = scenario.read_file(f"/proc/{pid}/smaps")
    return int(re.search(r"\[heap\]\n(?:.*\n)*?Rss: +(\d+) kB",
                         text).group(1)) * 1024


def all_resident(pid):
    """Return the kernel's figures of the whole process."""
    text = scenario.read_file(f"/proc/{pid}/smaps_rollup")
    return int(re.search(r"^Rss: +(\d+) kB", text, re.M).group(1)) * 1024


def check_sums(found):
    sums = found["residency"]
    equal("parts", sums["bytes"], sums["used_bytes"] + sums["slack_bytes"] +
          sums["unpinned_bytes"])
    equal("rows", sums["bytes"] - sums["unpinned_bytes"],
          sum(row["resident_bytes"] for row in found["sites"]))
    heap = found["resident"]["live_blocks"] + \
        found["resident"]["allocator_slack"]
    near("the heap, by the kernel", heap, sums["bytes"], 1)
    return sums


def what_is_freed_goes_back(place):
    with running(place, [place.victim("pinned_pages")]) as tally:
        equal("line", b"held\n", tally.stdout.readline())
        found = report(place, tally.pid)
        pid = found["process"]["pid"]
        sums = check_sums(found)
        near("[heap]", heap_resident(pid), sums["bytes"], 1)
        equal("uncertain", 0, sums["uncertain_blocks"])
        assert sums["slack_bytes"] > 4 * sums["used_bytes"], sums
        most = max(found["sites"], key=lambda row: row["freeable_bytes"])
        assert most["freeable_bytes"] > 4 * MIB, most
        assert most["freeable_blocks"] <= most["blocks_live"], most
        before = heap_resident(pid)
        tell(tally, most["stack"][0]["function"].encode() + b"\n", b"freed\n")
        after = heap_resident(pid)
        near("what went back", most["freeable_bytes"], before - after, 10)
        near("the rest", after, check_sums(report(place, pid))["bytes"], 1)
        text = watchdog.run([place.recorder.tally, "report", "--resident",
                             str(pid)]).stdout.decode()
        assert re.search(r"freeing these [0-9,]+ blocks of \w+ \(.*:\d+\) "
                         r"returns about [0-9.]+ MiB \(an estimate\)",
                         text), text


def in_a_snapshot(place):
    """Test that the file gives the process's figures after it has gone on."""
    file = place.file("snapshot")
    command = [place.recorder.tally, "snapshot", "-q", "-o", file]
    with running(place, [place.victim("pinned_pages")]) as tally:
        equal("line", b"held\n", tally.stdout.readline())
        outcome = watchdog.run([*command, str(tally.pid)])
        equal("status", (0, b""), (outcome.status, outcome.stderr))
        refused = watchdog.run([place.recorder.tally, "report", "--resident",
                                file])
        equal("status", 2, refused.status)
        assert b"tally snapshot --resident" in refused.stderr, refused.stderr
        os.remove(file)
        outcome = watchdog.run([*command, "--resident", str(tally.pid)])
        equal("status", (0, b""), (outcome.status, outcome.stderr))
        found = report(place, tally.pid)
        tell(tally, b"first\n", b"freed\n")
        kept = report(place, file)
        equal("sums", check_sums(found), check_sums(kept))
        near("resident memory", found["resident"]["bytes"],
             kept["resident"]["bytes"], 1)
        names = "resident_bytes", "slack_bytes", "freeable_bytes"
        equal("rows", [[row[name] for name in names]
                       for row in found["sites"]],
              [[row[name] for name in names] for row in kept["sites"]])
        assert check_sums(report(place, tally.pid))["bytes"] < \
            0.8 * check_sums(kept)["bytes"]


def a_child_shares_its_parents_pages(place):
    with running(place, [place.victim("pinned_pages")]) as tally:
        equal("line", b"held\n", tally.stdout.readline())
        tally.stdin.write(b"fork\n")
        tally.stdin.flush()
        child = int(tally.stdout.readline())
        sums = check_sums(report(place, child))
        assert sums["shared_bytes"] > 0.9 * sums["bytes"], sums
        assert sums["freeable_bytes"] < 0.1 * sums["bytes"], sums


def compressed_references_do_as_well(place):
    with running(place, [place.victim("pinned_pages")],
                 ["--sysctl=vm.mem_profiling=1,compressed"]) as tally:
        equal("line", b"held\n", tally.stdout.readline())
        found = report(place, tally.pid)
        check_sums(found)
        for function in ("first", "second"):
            row = [row for row in found["sites"]
                   if row["stack"][0]["function"] == function]
            equal("rows", 1, len(row))
            near(function, row[0]["bytes_live"],
                 row[0]["resident_bytes"] - row[0]["slack_bytes"], 1)


def what_is_mapped_has_rows(place):
    with running(place, [place.victim("touched_maps")]) as tally:
        equal("line", b"touched\n", tally.stdout.readline())
        found = report(place, tally.pid)
        rows = {kind: [(row["stack"][0]["function"], row["bytes_live"],
                        row["resident_bytes"]) for row in found[kind]]
                for kind in ("maps", "files", "threads")}
        equal("maps", [("map", 64 * 4096, 10 * 4096),
                       ("map", 10 * 4096, 2 * 4096)], rows["maps"])
        equal("files", [("map", 4 * 4096, 4 * 4096)], rows["files"])
        (function, live, resident), = rows["threads"]
        equal("thread", ("start", MIB), (function, live))
        near("stack", 55 * 4096, resident, 10)
        near("all stacks", found["resident"]["stacks"], resident, 20)
        text = watchdog.run([place.recorder.tally, "report", "--resident",
                             str(tally.pid)]).stdout.decode()
        assert re.search(r"Thread stacks.*\n *RESIDENT +LIVE BYTES",
                         text), text


def samples_are_refused(place):
    with running(place, [place.victim("pinned_pages")],
                 ["--stacks=sampled"]) as tally:
        equal("line", b"held\n", tally.stdout.readline())
        outcome = watchdog.run([place.recorder.tally, "report", "--resident",
                                str(tally.pid)])
        equal("status", 2, outcome.status)
        equal("lines", 1, outcome.stderr.count(b"\n"))
        assert b"its accounts are samples" in outcome.stderr, outcome.stderr
        file = place.file("snapshot")
        outcome = watchdog.run([place.recorder.tally, "snapshot", "--resident",
                                "-o", file, str(tally.pid)])
        equal("status", 2, outcome.status)
        equal("lines", 1, outcome.stderr.count(b"\n"))
        assert b"its accounts are samples" in outcome.stderr, outcome.stderr
        equal("a file", False, os.path.exists(file))


class Redis:
    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)

    def send(self, commands):
        for at in range(0, len(commands), BATCH):
            part = commands[at:at + BATCH]
            self.connection.sendall("".join(part).encode())
            left = len(part)
            while left > 0:
                left -= self.connection.recv(MIB).count(b"\r\n")

    def figure(self, name):
        self.connection.sendall(b"INFO memory\r\n")
        text = ""
        while "lazyfreed_objects" not in text:
            text += self.connection.recv(MIB).decode()
        return int(re.search(rf"^{name}:(\d+)", text, re.M).group(1))


    def slack(self):
        """Return the allocator overhead, which redis reads ten times a
        second."""
        time.sleep(0.25)
        return self.figure("allocator_active") - \
            self.figure("allocator_allocated")


def is_there(path):
    try:
        Redis(path)
    except OSError:
        return False
    return True


def rows_by_freeable(found):
    return sorted(found["sites"], key=lambda row: -row["freeable_bytes"])


def what_goes_back(redis, place, pid):
    """
    Free the blocks of the first stack, the values: replace each by a number,
    for which redis has a shared object, so no other blocks are freed.
    """
    found = report(place, pid)
    text = watchdog.run([place.recorder.tally, "report", "--resident",
                         str(pid)]).stdout.decode()
    most = rows_by_freeable(found)[0]
    functions = [frame["function"] for frame in most["stack"]]
    assert "tryObjectEncoding" in functions, functions
    first = re.search(r"freeing these ([0-9,]+) blocks of", text)
    equal("named first", f"{most['freeable_blocks']:,}", first.group(1))
    before = check_sums(found)["bytes"]
    redis.send([f"SET key:{i:07} 1\r\n" for i in range(KEYS)
                if i not in redis.freed])
    redis.send(["MEMORY PURGE\r\n"])
    after = check_sums(report(place, pid))["bytes"]
    print(f"    forecast {most['freeable_bytes']}, went back {before - after}")
    assert before - after > 0.9 * most["freeable_bytes"], (before, after, most)


def redis_says_the_same(place):
    path = place.file("socket")
    with running(place, ["redis-server", "--port", "0", "--unixsocket", path,
                         "--save", "", "--dir", place.folder]) as tally:
        wait_until(lambda: is_there(path), "redis")
        redis = Redis(path)
        redis.send([f"SET key:{i:07} {'x' * 40}\r\n" for i in range(KEYS)])
        redis.freed = set(random.Random(1).sample(range(KEYS), KEYS * 9 // 10))
        redis.send([f"DEL key:{i:07}\r\n" for i in redis.freed])
        found = report(place, tally.pid)
        sums = check_sums(found)
        whole = all_resident(found["process"]["pid"])
        near("all rows", whole, found["resident"]["bytes"], 1)
        print(f"    heap {sums['bytes']}, all {found['resident']['bytes']}, "
              f"the kernel says {whole}")
        slack = redis.slack()
        print(f"    slack {sums['slack_bytes']}, redis says {slack}")
        near("slack", slack, sums["slack_bytes"], 5)
        what_goes_back(redis, place, tally.pid)
        redis.connection.sendall(b"SHUTDOWN NOSAVE\r\n")


scenario.main(what_is_freed_goes_back, in_a_snapshot,
              a_child_shares_its_parents_pages,
              compressed_references_do_as_well, what_is_mapped_has_rows,
              samples_are_refused,
              redis_says_the_same)
