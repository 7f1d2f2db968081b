# SPDX-License-Identifier: Apache-2.0
"""tally serve: metrics and profiles of programs that start and end, and
refused clients.

Other programs of this user may be recorded meanwhile: tests find figures by
PID.
"""

import http.client
import os
import select
import signal
import socket
import subprocess
import sys
import time

from harness import crowd, scenario, watchdog
from harness.attached_program import Program
from harness.scenario import Skip, equal, wait_until, write_file
from harness.served import Served, needs
from harness.steps import Steps, wait_for_end

OPEN = {"Accept": "Application/OpenMetrics-Text;version=1.0.0,text/plain;q=.5"}


def metrics(place):
    with Steps(place) as steps, Served(place, "--top=1") as served:
        steps.do("aab")
        pid = steps.pid
        live = served.figure(pid, "tally_live_bytes", kind="heap")
        assert live >= 201_200, live
        equal("freed", live, served.figure(
            pid, "tally_allocated_bytes_total", kind="heap") - served.figure(
                pid, "tally_freed_bytes_total", kind="heap"))
        assert served.figure(pid, "tally_peak_bytes", kind="heap") >= live
        for name, value in (("live_bytes", 200_000), ("live_blocks", 200),
                            ("allocated_bytes_total", 200_000)):
            equal(name, value, served.figure(pid, "tally_site_" + name,
                                             site="first", module="steps",
                                             kind="heap"))
        equal("beyond the first", None, served.figure(
            pid, "tally_site_live_bytes", site="second"))
        assert served.figure(pid, "tally_site_live_bytes", site="other",
                             kind="heap") >= 1200
        equal("program", 1, served.figure(pid, "tally_program_info",
                                          service="steps", accounts="exact"))
        equal("losses", 0, served.figure(pid, "tally_losses_total",
                                         what="lost_sites"))
        # The list is read at intervals.
        wait_until(lambda: served.figure(pid, "tally_resident_bytes",
                                         part="tally"), "resident memory")
        _, kind, body = served.ask("/metrics", **OPEN)
        assert kind.startswith("application/openmetrics-text; version=1.0.0")
        assert body.endswith(b"# EOF\n")
        _, kind, body = served.ask("/metrics")
        assert kind.startswith("text/plain; version=0.0.4"), kind
        assert b"# EOF" not in body
        assert served.is_listed("steps", pid)
        report = served.get(f"/program/{pid}/report.json")
        assert b'"first"' in report and b'"version"' in report
        assert b"<title>" in served.get(f"/program/{pid}/")
        equal("packed", b"\x1f\x8b", served.get(f"/program/{pid}/data")[:2])
        equal("no number", b"a pid is a number; / lists them\n",
              served.ask("/program/0/")[2])
        steps.do("e")
        wait_until(lambda: served.figure(pid, "tally_live_bytes",
                                         kind="heap") is None, "its end")
        wait_until(lambda: pid.encode() not in served.get("/"), "its end there")
        for path in (f"/program/{pid}/data", f"/debug/pprof/heap?pid={pid}"):
            assert served.ask(path)[0] in (404, 410)


def ends(place):
    """Test a program that was never asked for: it is known a second longer
    than it runs."""
    with Served(place) as served:
        for path in ("report.json", "", "data"):
            with Steps(place, "-f") as steps:
                time.sleep(1.1)
                served.get("/")
                steps.do("e")
                wait_for_end(steps.pid)
                status = served.ask(f"/program/{steps.pid}/{path}")[0]
                assert status in (404, 410), f"{path}: {status}"


def detached(place):
    """Test that a ledger left by an attach gives no current figures."""
    with Program(place) as program, Served(place) as served:
        attaching = program.attach(place.file("a"))
        program.do("a")
        wait_until(lambda: served.figure(program.pid, "tally_live_bytes",
                                         kind="heap"), "the program")
        program.detach(attaching)
        wait_until(lambda: served.figure(program.pid, "tally_live_bytes",
                                         kind="heap") is None, "its end")
        wait_until(lambda: f">{program.pid}<".encode() not in served.get("/"),
                   "its end there")
        for command in ("report", "snapshot"):
            outcome = watchdog.run([program.tally, command, program.pid],
                                   folder=place.folder)
            equal(command, 2, outcome.status)
            assert b"no longer attached to" in outcome.stderr, outcome.stderr
        program.detach(program.attach(place.file("b")))
        program.end()


def sites_keep_their_names(place):
    """Test that their counters keep their values, with several clients."""
    with Steps(place, program=place.victim("more_callers")) as steps, \
            Served(place) as served:
        name = "tally_site_allocated_bytes_total"
        for step in "123":
            steps.do(step)
            wait_until(lambda: served.figure(steps.pid, name, site="get") ==
                       1000 * int(step), f"{step} blocks of get")
            equal("one", 10, served.figure(steps.pid, name, site="one"))


def titled(place):
    """Test a program that has overwritten its environment with a title."""
    needs("perl")
    write_file(place.file("title.pl"), """$| = 1; $0 = "x" x 5000;
        print "$$\n"; readline(STDIN);""")
    command = place.recorder.command(["perl", place.file("title.pl")])
    with subprocess.Popen(command, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE,
                          env=watchdog.clean_environment()) as tally, \
            Served(place) as served:
        pid = tally.stdout.readline().strip().decode()
        with open(f"/proc/{pid}/environ", "rb") as file:
            assert b"TALLY_SESSION" not in file.read()
        wait_until(lambda: served.figure(pid, "tally_live_bytes", kind="heap"),
                   "the titled program")
        equal("service", 1, served.figure(pid, "tally_program_info",
                                          service="perl", accounts="exact"))
        assert served.is_listed("perl", pid)
        tally.stdin.close()
        equal("status", 0, tally.wait(timeout=30))


def profiles(place):
    needs("go")
    with Steps(place) as steps, Served(place) as served:
        steps.do("aab")
        where = f"/debug/pprof/heap?pid={steps.pid}"
        environment = watchdog.clean_environment(
            {"PPROF_TMPDIR": place.folder})

        def top(address, *options):
            outcome = watchdog.run(
                ["go", "tool", "pprof", "-unit=B", "-top", *options, address],
                folder=place.folder, timeout=60, environment=environment)
            equal(f"status, {outcome.stderr}", 0, outcome.status)
            return outcome.stdout.decode()

        found = top(f"http://{served.host}{where}")
        assert "Type: inuse_space" in found and " 200000B" in found, found
        found = top(f"http://{served.host}" + where.replace("heap", "allocs"))
        assert "Type: alloc_space" in found and " 200000B" in found, found
        with open(place.file("difference"), "wb") as file:
            file.write(served.during(where + "&seconds=4",
                                     lambda: steps.do("f"))[1])
        found = top("difference")
        assert "-30000B" in found and "200000B" not in found, found
        for path, status in (
                (where + "&seconds=301", 400), (where + "&seconds=x", 400),
                (where + "x", 400), ("/debug/pprof/heap?pid=1", 404),
                ("/debug/pprof/cpu?pid=" + steps.pid, 404)):
            equal(path, status, served.ask(path)[0])
        status, said = served.during(where + "&seconds=4",
                                     lambda: steps.do("e"))
        equal("of one that ended", 410, status)
        assert b"has ended" in said, said


def those_who_leave(place):
    """Test 16 waiting requests; closed ones take no place."""
    with Steps(place) as steps, Served(place) as served:
        path = f"/debug/pprof/heap?pid={steps.pid}&seconds="
        address, port = served.host.split(":")
        held = []

        def is_full():
            for _ in range(16):
                held.append(socket.create_connection((address, port)))
                held[-1].send(f"GET {path}300 HTTP/1.1\r\n"
                              f"Host: {served.host}\r\n\r\n".encode())
            return served.ask(path + "1")[0] == 503

        wait_until(lambda: served.ask(path + "1")[0] == 200, "the program")
        wait_until(is_full, "a full house")
        for one in held:
            one.close()
        wait_until(lambda: served.ask(path + "1")[0] == 200, "an answer")


def a_hangup_that_is_ignored(place):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # inherited
    with Served(place) as served:
        signal.signal(signal.SIGHUP, before)
        served.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        served.get("/metrics")
        equal("still there", None, served.process.poll())


def foreigners(place):
    with Steps(place) as steps, Served(place) as served:
        steps.do("a")
        for headers in ({"Host": "evil.example"}, {"Host": "127.0.0.1"},
                        {"Origin": "http://evil.example"},
                        {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
                        {"Sec_Fetch_Site": "same-site"}):
            equal(str(headers), 403, served.ask("/metrics", **headers)[0])
        served.get("/metrics", Origin=f"http://{served.host}")
        served.get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
        equal("head alone", (200, b""), served.ask("/metrics",
                                                   method="HEAD")[::2])
        equal("to change", 405, served.ask("/metrics", method="POST")[0])
        for path in ("/metrics/", "/../metrics", "/program/../../metrics",
                     f"/program/{steps.pid}/../../../etc/passwd",
                     f"/program/{steps.pid}/%2e%2e/data", "/program//data",
                     f"/program/{steps.pid}", "/program/" + "9" * 5000 + "/",
                     f"/program/{steps.pid}/data/", "/debug/pprof", "*",
                     "/program/-1/data", "//"):
            assert served.ask(path)[0] in (400, 404, 414), path
        assert b"printed" in served.ask("/", Origin="null")[2]


def hold(host, count):
    """Return connections that send little and stay."""
    address, port = host.split(":")
    held = [socket.create_connection((address, port)) for _ in range(count)]
    for one in held:
        one.send(b"\x16")
    return held


def slow_peers(place):
    """Test clients without a token: they take no connection from those with
    one, and are ended even if they send a byte now and then."""
    needs("curl")
    token = "0123456789abcdef0123456789abcdef"
    write_file(place.file("token"), token)
    os.chmod(place.file("token"), 0o600)
    with Steps(place) as steps:
        steps.do("ae")
        steps.tally.wait(60)
    view = [place.recorder.tally, "view", "--no-browser", steps.file]
    serve = [place.recorder.tally, "serve", "--token-file=token",
             "--listen=127.0.0.1:0"]
    for command in view, serve:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              cwd=place.folder) as server:
            address = server.stdout.readline().strip()
            slow = subprocess.Popen(
                [sys.executable, "-B", crowd.__file__, address.split("/")[2],
                 "400", *(["65534"] if os.geteuid() == 0 else [])],
                stdout=subprocess.PIPE, text=True)
            try:
                equal("crowd", "all are there\n", slow.stdout.readline())
                for _ in range(20):
                    outcome = watchdog.run(
                        ["curl", "-s", "-m", "30", "-o", "out", "-w",
                         "%{http_code}", "-H", f"Authorization: Bearer {token}",
                         address], folder=place.folder)
                    equal(command[1], b"200", outcome.stdout)
                assert select.select([slow.stdout], [], [], 60)[0], \
                    f"{command[1]} does not end who is slow"
                equal("crowd", "all were ended\n", slow.stdout.readline())
            finally:
                slow.kill()
                slow.wait()
                server.send_signal(signal.SIGTERM)


def crowds(place):
    """Test that idle connections are closed for new ones; clients with a
    request stay."""
    with Served(place) as served:
        asked = http.client.HTTPConnection(served.host, timeout=60)
        for count in 0, 300, 300:
            held = hold(served.host, count)
            served.get("/metrics")
            asked.request("GET", "/metrics")
            answer = asked.getresponse()
            equal("one that was there before", 200, answer.status)
            answer.read()
            for one in held:
                one.close()
        asked.close()


def other_users(place):
    needs("setpriv", "curl")
    if os.geteuid() != 0:
        raise Skip("only root can ask as another user")
    token = "0123456789abcdef0123456789abcdef"
    write_file(place.file("token"), token + "\n")
    os.chmod(place.file("token"), 0o640)

    def ask(address, *options, user="65534"):
        outcome = watchdog.run(
            ["setpriv", "--reuid", user, "--clear-groups", "curl", "-s",
             "-m", "20", "-w", "%{http_code}", *options, address + "metrics"])
        return outcome.stdout.decode()[-3:]

    with Served(place) as served:
        equal("without a token", "403", ask(served.address))
        equal("root", "200", ask(served.address, user="0"))
    bearer = ("-H", f"Authorization: Bearer {token}")
    with Served(place, "--token-file=token") as served:
        for status, options in (
                ("401", ()), ("200", bearer), ("200", ("-u", f"me:{token}")),
                ("401", ("-u", "me:x")), ("401", ("-u", token)),
                ("401", ("-H", f"Authorization: Bearer {token}x")),
                ("401", ("-H", f"Authorization: Bearer {token[:-1]}")),
                ("401", ("-H", "Authorization: Bearer "))):
            equal(str(options), status, ask(served.address, *options))


def local_socket(place):
    needs("curl")
    path = place.file("socket")
    listen = f"--listen=unix:{path}"
    with Steps(place) as steps, Served(place, listen) as served:
        steps.do("a")
        equal("mode", 0o600, os.stat(path).st_mode & 0o777)
        outcome = watchdog.run(["curl", "-s", "--unix-socket", path,
                                served.address + "metrics"])
        assert f'pid="{steps.pid}"'.encode() in outcome.stdout
        outcome = watchdog.run([place.recorder.tally, "serve", listen])
        equal("a second one", 2, outcome.status)
        assert b"in use" in outcome.stderr, outcome.stderr
    equal("left", False, os.path.exists(path))
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    with Served(place, listen) as served:  # socket of a killed server
        equal("200", b"200", watchdog.run(
            ["curl", "-s", "-o", place.file("out"), "-w", "%{http_code}",
             "--unix-socket", path, served.address + "metrics"]).stdout)


scenario.main(metrics, ends, detached, sites_keep_their_names, titled, profiles,
              those_who_leave, a_hangup_that_is_ignored, foreigners, crowds,
              slow_peers, other_users, local_socket)
