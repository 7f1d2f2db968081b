# SPDX-License-Identifier: Apache-2.0
"""tally push sends each profile exactly once, for any behaviour of a receiver.

This file is long because each failure of a receiver, a spool or a source has a
step of its own.
"""

import atexit
import ctypes
import os
import select
import shutil
import signal
import socket
import subprocess
import time

from harness import watchdog
from harness.receiver import Receiver
from harness.scenario import (Skip, equal, main, read_file, wait_until,
                              write_file)
from harness.steps import Steps


class Push:
    """A push that runs until it is told to end."""

    def __init__(self, place, *arguments, prefix=()):
        self.process = subprocess.Popen(
            [*prefix, place.recorder.tally, "push", "--every=1", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=watchdog.clean_environment())
        atexit.register(self.process.kill)

    def line(self):
        """Return the first line of its output."""
        ready, _, _ = select.select([self.process.stderr], [], [], 30)
        assert ready, "it says nothing"
        return self.process.stderr.readline().decode()

    def spool(self):
        """Return the folder of its spool."""
        folder = os.path.realpath(f"/proc/{self.process.pid}/fd/3")
        assert folder.startswith("/tmp/tally-push-"), folder
        return folder

    def hears_no_second(self):
        """Return True if no signal that ends it is blocked any more."""
        blocked = read_file(f"/proc/{self.process.pid}/status") \
            .split("SigBlk:\t")[1].split()[0]
        return int(blocked, 16) >> (signal.SIGINT - 1) & 1 == 0

    def end(self, number=signal.SIGINT, seconds=20):
        """Return status and output."""
        self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate(timeout=10)
            raise AssertionError(f"did not end in {seconds} s") from None
        equal("stdout", b"", out)
        return self.process.returncode, err.decode()


def total(profiles, function, first, count=2):
    """Return two of the four values, summed over all profiles."""
    sums = [profile.sums[function] for profile in profiles
            if function in profile.sums]
    return tuple(map(sum, zip(*sums)))[first:first + count] or (0, 0)


def waiting(place):
    spool = place.file("spool")
    return sorted(name for name in os.listdir(spool) if name[-5:] == ".push") \
        if os.path.isdir(spool) else []


def allocations_are_counted_once_and_what_is_held_each_time(place):
    with Receiver() as receiver, Steps(place) as steps:
        steps.do("aab")  # before
        write_file(place.file("headers"),
                   "Authorization: Bearer secret\n\nX-Scope-OrgID: we\n")
        push = Push(place, receiver.url(), "--label=zone=a-1",
                    "--headers=" + place.file("headers"), steps.pid)
        receiver.wait_for(1)
        steps.do("affbt")
        receiver.wait_for(2)
        steps.do("a")
        folder = push.spool()
        status, said = push.end()
        equal("status", 0, status)
        profiles = receiver.profiles(place)
        equal("said", f"tally: push: sent {len(profiles)}, dropped 0, "
              "refused 0\n", said)
        equal("first", (200, 200000), total(profiles, "first", 0))
        equal("second", (50, 1200), total(profiles, "second", 0))
        equal("temporary", (100, 7700), total(profiles, "short_lived", 0))
        equal("held", (340, 340000), total(profiles[-1:], "first", 2))
        equal("held before", (200, 200000), total(profiles[:1], "first", 2))
        for path, headers, _ in receiver.received:
            equal("credentials", ("Bearer secret", "we"),
                  (headers["Authorization"], headers["X-Scope-OrgID"]))
            assert "secret" not in path, path
        labels = profiles[0].labels
        equal("labels", {"service_name": "steps", "zone": "a-1",
                         "pid": steps.pid, "hostname": os.uname().nodename},
              labels)
        equal("once", len(profiles), len(receiver.received))
        assert sum(map(lambda one: one.seconds(), profiles)) < 60
        equal("nothing is left", False, os.path.exists(folder))


def nothing_is_lost_or_twice_over_restarts(place):
    """Test kills of the receiver, and of push, at any moment."""
    spool = "--spool=" + place.file("spool")
    with Receiver() as receiver, Steps(place) as steps:
        push = Push(place, receiver.url(), spool, steps.pid)
        receiver.wait_for(1)
        receiver.stop()
        for _ in range(2):
            steps.do("ab")
            wait_until(lambda: waiting(place), "a profile that waits")
            push.end(signal.SIGKILL)
            steps.do("t")  # while there is none
            push = Push(place, receiver.url(), spool, steps.pid)
        wait_until(lambda: len(waiting(place)) > 2, "profiles that wait")
        receiver.ways = [503, "goes", 500, (429, ("Retry-After", "1"))]
        receiver.start()
        wait_until(lambda: not waiting(place), "an empty spool")
        steps.do("a")
        status, said = push.end()
        equal(f"status: {said}", 0, status)
        assert "profiles wait in" in said and "available again" in said, said
        profiles = receiver.profiles(place)
        equal("first", (300, 300000), total(profiles, "first", 0))
        equal("second", (100, 2400), total(profiles, "second", 0))
        equal("temporary", (200, 15400), total(profiles, "short_lived", 0))
        equal("held", (300, 300000), total(profiles[-1:], "first", 2))
        equal("ways", [503, "goes", 500, (429, ("Retry-After", "1"))],
              [way for way in receiver.asked if way != 200][-4:])


def a_full_disk_has_nothing_told_twice(place):
    """Test a disk with room for a profile, but not for the counts beside
    it."""
    limits = ("sh", "-c", 'trap "" XFSZ; ulimit -f 40; exec "$0" "$@"')
    spool = "--spool=" + place.file("spool")
    with Receiver() as receiver, Steps(place) as steps:
        push = Push(place, receiver.url(), spool, steps.pid)
        receiver.wait_for(1)
        push.end()
        push = Push(place, receiver.url(), spool, steps.pid, prefix=limits)
        steps.do("a")
        assert "File too large; the next profile" in push.line()
        equal("status", 0, push.end()[0])
        push = Push(place, receiver.url(), spool, steps.pid)
        receiver.wait_for(len(receiver.received) + 1)
        equal("status", 0, push.end()[0])
        profiles = receiver.profiles(place)
        equal("first", (100, 100000), total(profiles, "first", 0))


def renamed(place):
    """Return a program with a unique name: others may record programs of the
    usual name."""
    return shutil.copy(place.victim("steps"), place.file(f"steps{os.getpid()}"))


def the_push_service_has_labels_of_its_own(place):
    program = renamed(place)
    with Receiver() as receiver, Steps(place, program=program) as steps:
        push = Push(place, receiver.url("/push.v1.PusherService/Push"),
                    "--label=service_name=shop",
                    os.path.basename(program).replace("p", "?"))
        receiver.wait_for(1)
        steps.do("a")
        equal("status", 0, push.end()[0])
        profiles = receiver.profiles(place)
        equal("labels", {"__name__": "memory", "__delta__": "false",
                         "service_name": "shop", "pid": steps.pid,
                         "hostname": os.uname().nodename},
              profiles[0].labels)
        equal("first", (100, 100000), total(profiles, "first", 0))
        path, headers, _ = receiver.received[0]
        equal("path", "/push.v1.PusherService/Push", path)
        equal("type", "application/json", headers["Content-Type"])


def programs_of_a_name_come_and_go(place):
    program = renamed(place)
    with Receiver() as receiver:
        push = Push(place, receiver.url("/"), os.path.basename(program))
        with Steps(place, program=program) as steps:
            receiver.wait_for(1)
            pid = steps.pid
        with Steps(place, program=program) as steps:
            steps.do("a")
            wait_until(lambda: any(f"pid%3D{steps.pid}" in path
                                   for path, _, _ in receiver.received),
                       "the second program")
            equal("status", 0, push.end()[0])
            profiles = receiver.profiles(place)
            equal("programs", {pid, steps.pid},
                  {profile.labels["pid"] for profile in profiles})
            # It started while push ran: all its allocations are sent.
            second = [profile for profile in profiles
                      if profile.labels["pid"] == steps.pid]
            equal("first", (100, 100000), total(second, "first", 0))


def the_end_of_a_program_is_told(place):
    with Receiver() as receiver, Steps(place) as steps:
        steps.do("b")
        spool = place.file("spool")
        push = Push(place, receiver.url(), "--every=2", "--spool=" + spool,
                    steps.pid)
        wait_until(lambda: os.path.isdir(spool) and any(
            name.startswith(steps.pid) for name in os.listdir(spool)),
            "the first look")
        steps.do("aae")
        push.process.wait(timeout=30)
        equal("status", 0, push.process.returncode)
        profiles = receiver.profiles(place)
        equal("profiles", 1, len(profiles))
        equal("first", [200, 200000, 200, 200000], profiles[0].sums["first"])
        equal("held", (50, 1200), total(profiles, "second", 2))


def a_program_that_is_run_next_is_another_one(place):
    """Test an exec: the process stays, and all allocations are sent."""
    script = f"echo $$; kill -STOP $$; exec {place.victim('steps')}"
    with Receiver() as receiver, subprocess.Popen(
            place.recorder.command(["sh", "-c", script]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=watchdog.clean_environment()) as tally:
        pid = tally.stdout.readline().decode().strip()
        try:
            wait_until(lambda: " T " in read_file(f"/proc/{pid}/stat"),
                       "its stop")
            push = Push(place, receiver.url(), pid)
            receiver.wait_for(1)
            os.kill(int(pid), signal.SIGCONT)
            tally.stdin.write(b"ab")
            tally.stdin.flush()
            wait_until(lambda: any("name=steps" in path
                                   for path, _, _ in receiver.received),
                       "the program")
        finally:
            tally.kill()
            os.kill(int(pid), signal.SIGKILL)
        push.process.wait(timeout=30)
        profiles = [profile for profile in receiver.profiles(place)
                    if profile.labels["service_name"] == "steps"]
        equal("first", (100, 100000), total(profiles, "first", 0))
        equal("second", (50, 1200), total(profiles, "second", 0))


def ledgers_are_sent_once(place):
    with Steps(place) as steps:
        steps.do("aafb")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        with Receiver() as receiver:
            for url in (receiver.url(), receiver.url("/p?key=1")):
                steps.run("push", url, place.file("one"))
            profiles = receiver.profiles(place)
            label = "--label=long=" + "a" * 5000
            steps.run("push", receiver.url(), label, place.file("one"))
            last = receiver.profiles(place)[-1]
            equal("label", "a" * 5000, last.labels["long"])
            equal("profiles", 2, len(profiles))
            equal("first", [200, 200000, 170, 170000],
                  profiles[1].sums["first"])
            assert receiver.received[1][0].startswith("/p?key=1&name=steps%7B")
        steps.refused("push", receiver.url(), "/dev/null", why="/dev/null: ")
        steps.refused("push", receiver.url(), "1", why="1: ")


def all_images_of_a_recording_are_sent(place):
    outcome = place.recorder.run([place.victim("inherited_lives")])
    equal("status", 0, outcome.status)
    with Receiver() as receiver:
        sent = watchdog.run([place.recorder.tally, "push", receiver.url(),
                             place.recorder.ledger()])
        equal("sent", b"tally: push: sent 2, dropped 0, refused 0\n",
              sent.stderr)
        sums = [profile.sums for profile in receiver.profiles(place)]
        equal("held", [[4000, 4000000], [2000, 2000000]],
              [one["main"][2:] for one in sums])
        os.mkfifo(place.recorder.ledger() + ".d/99999999-1")
        refused = watchdog.run([place.recorder.tally, "push", receiver.url(),
                                place.recorder.ledger()])
        equal("status", 2, refused.status)
        assert b"-1: not a regular file" in refused.stderr, refused.stderr


def what_is_left_is_sent_while_it_is_accepted(place):
    """Test snapshots of one process, for each of which the receiver takes a
    second: longer in all than push waits at its end for a silent receiver."""
    ledgers = [place.file(f"ledger{number}") for number in range(7)]
    with Steps(place) as steps, Receiver() as receiver:
        for ledger in ledgers:
            steps.do("a")
            steps.run("snapshot", "-o", ledger, steps.pid)
        receiver.ways = ["late"] * len(ledgers)
        push = Push(place, receiver.url(), *ledgers)
        receiver.wait_for(1)
        status, said = push.end(seconds=60)
        equal("said", (0, "tally: push: sent 7, dropped 0, refused 0\n"),
              (status, said))
        equal("first", [100 * number for number in range(1, 8)],
              [profile.sums["first"][0]
               for profile in receiver.profiles(place)])


def what_is_on_its_way_is_not_sent_again(place):
    """Test that a signal waits for the answer."""
    with Steps(place) as steps, Receiver() as receiver:
        steps.do("a")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        receiver.ways = ["late"]
        push = Push(place, receiver.url(), place.file("one"))
        wait_until(lambda: receiver.asked, "a request")
        equal("said", (0, "tally: push: sent 1, dropped 0, refused 0\n"),
              push.end())
        equal("asked", ["late"], receiver.asked)


def a_spool_is_sent_without_a_source(place):
    """Test that other files in the folder stay."""
    spool = "--spool=" + place.file("spool")
    others = [place.file("spool/" + name) for name in ("new", "accounts")]
    os.mkdir(place.file("spool"), 0o700)
    for other in others:
        write_file(other, "precious")
    with Steps(place) as steps, Receiver() as receiver:
        steps.do("a")
        receiver.stop()
        push = Push(place, receiver.url(), spool, steps.pid)
        wait_until(lambda: waiting(place), "a profile that waits")
        equal("status", 1, push.end()[0])
        count = len(waiting(place))
        receiver.start()
        steps.run("push", receiver.url(), spool)
        equal("sent", (count, []), (len(receiver.received), waiting(place)))
        equal("others", ["precious"] * 2, [read_file(one) for one in others])
        steps.refused("push", receiver.url(), why="no source is named")


def a_name_is_not_the_programs_file(place):
    folder = os.path.dirname(place.victim("steps"))
    there = ("sh", "-c", f'cd "{folder}"; exec "$0" "$@"')
    with Steps(place) as steps, Receiver() as receiver:
        push = Push(place, receiver.url(), "steps", prefix=there)
        steps.do("a")
        receiver.wait_for(1)
        equal("status", 0, push.end()[0])


def no_half_of_a_header_is_sent(place):
    with Steps(place) as steps, Receiver() as receiver:
        steps.do("a")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        headers = "--headers=" + place.file("headers")
        for text, why in (("Authorization: " + "a" * 5000, "is too long, or"),
                          ("\n\nX: y\n" * 17, "there are too many;"),
                          ("X: y\nBearer secret", "is not NAME: VALUE;")):
            write_file(place.file("headers"), text)
            push = Push(place, receiver.url(), headers, place.file("one"))
            said = push.line()
            assert why in said and "profiles wait" in said, said
            push.end()
        equal("asked", [], receiver.asked)
        write_file(place.file("headers"), "\n\nX: y\n" * 16)
        steps.run("push", receiver.url(), headers, place.file("one"))
        equal("headers", 16, len(receiver.received[0][1].get_all("X")))


def the_oldest_goes_where_there_is_no_room(place):
    with Steps(place) as steps, Receiver(400) as receiver:
        steps.do("ab")
        receiver.stop()
        push = Push(place, receiver.url(), "--spool=" + place.file("spool"),
                    "--spool-size=4K", steps.pid)
        wait_until(lambda: waiting(place), "a profile")
        oldest = waiting(place)[0]
        wait_until(lambda: oldest not in waiting(place), "one that is dropped")
        left = waiting(place)
        assert left and max(left) > oldest, left
        receiver.start()
        wait_until(lambda: receiver.received, "a profile")
        status, said = push.end()
        equal("status", 1, status)
        assert "the server answered 400 " in said and "\x1b" not in said, said
        assert "refused 1\n" in said and "dropped 0" not in said, said
        assert sum(os.stat(place.file("spool/" + name)).st_size
                   for name in os.listdir(place.file("spool"))
                   if name.endswith(".push")) <= 4096


def a_bad_receiver_does_no_harm(place):
    """Test that a refused profile is kept, to be sent to another receiver."""
    with Steps(place) as steps, Receiver() as other, Receiver() as receiver:
        steps.do("ab")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        spool = "--spool=" + place.file("spool")
        for way, why in (("nonsense", ""), ("goes", ""), ("headers", ""),
                         ((302, ("Location",
                                 other.url()[len("--to="):])), "answered 302"),
                         ((301, ("Location", "file:///etc/passwd")),
                          "answered 301"), (401, "answered 401"),
                         ("stalls", "timed out")):
            receiver.ways = [way] * 100
            begin = time.monotonic()
            push = Push(place, receiver.url(), spool, place.file("one"))
            count = len(receiver.asked)
            wait_until(lambda: len(receiver.asked) > count, "a request")
            status, said = push.end()
            equal(f"{way}: {said}", 1, status)
            assert why in said and "profiles wait in" in said, said
            assert time.monotonic() - begin < 25, f"{way}: too long"
            equal("waits", 1, len(waiting(place)))
        equal("elsewhere", [], other.asked)
        receiver.ways = [(200, ("huge", ""))]
        steps.run("push", receiver.url(), spool, place.file("one"))
        equal("accepted", 1, len(receiver.received))
        equal("left", [], waiting(place))


def a_second_signal_ends_it(place):
    """Test signals that end it at once; the first lets the current profile
    arrive."""
    with Steps(place) as steps, Receiver() as receiver:
        steps.do("a")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        receiver.ways = ["stalls"] * 100
        for spool in ("--spool=" + place.file("spool"), "--every=2"):
            push = Push(place, receiver.url(), spool, place.file("one"))
            count = len(receiver.asked)
            wait_until(lambda: len(receiver.asked) > count, "a request")
            if "--every=2" == spool:
                folder = push.spool()
            push.process.send_signal(signal.SIGINT)
            wait_until(push.hears_no_second, "the first is taken")
            equal("status", -signal.SIGINT, push.end()[0])
        equal("waits", 1, len(waiting(place)))
        equal("left", False, os.path.exists(folder))


def a_server_of_symbols_that_says_nothing(place):
    """Test that a signal ends the wait, with the program's file and
    without."""
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        raise Skip("no libdebuginfod.so.1; scripts/install-deps test") from None
    program = place.file("stripped")
    for has_file in (True, False):
        watchdog.run(["strip", "-o", program, place.victim("steps")])
        with Steps(place, "-f", program=program) as steps, \
                socket.create_server(("127.0.0.1", 0)) as server:
            steps.do("a")
            if not has_file:
                os.unlink(program)
            port = server.getsockname()[1]
            push = Push(place, "--to=http://127.0.0.1:9/ingest",
                        "--debuginfod", steps.pid, prefix=(
                            "env", f"DEBUGINFOD_URLS=http://127.0.0.1:{port}",
                            f"DEBUGINFOD_CACHE_PATH={place.file('kept')}"))
            server.settimeout(60)
            asking = server.accept()[0]
            assert asking.recv(4) == b"GET ", "it does not ask"
            equal("status", 1, push.end()[0])
            asking.close()


def no_address(place):
    with Steps(place) as steps:
        steps.do("a")
        for url in ("http://", "http://host:99999/", "http://a b/", "https:///"):
            steps.refused("push", "--to=" + url, "1",
                          why="such as http://host:4040/ingest")


def a_folder_of_others_is_refused(place):
    with Steps(place) as steps, Receiver() as receiver:
        steps.do("a")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        spool = place.file("spool")
        os.mkdir(spool, 0o777)
        os.chmod(spool, 0o777)
        steps.refused("push", receiver.url(), "--spool=" + spool,
                      place.file("one"), why="a private folder")
        os.chmod(spool, 0o700)
        # Damaged files are dropped; files that are no profile stay.
        name = "0123456789abcdef01234567.push"
        write_file(os.path.join(spool, name), "tally push 1 1 2 id 3 a{}\nx")
        write_file(os.path.join(spool, "f" + name[1:]), "")
        os.symlink("/etc/passwd", os.path.join(spool, "e" + name[1:]))
        write_file(os.path.join(spool, "a.push"), "")
        outcome = steps.run("push", receiver.url(), "--spool=" + spool,
                            place.file("one"), status=1)
        equal("said", b"tally: push: sent 1, dropped 3, refused 0\n",
              outcome.stderr)
        equal("left", ["a.push"], os.listdir(spool))
        equal("one", 1, len(receiver.received))
        push = Push(place, receiver.url(), "--spool=" + spool, "no-such")
        wait_until(lambda: any(
            os.path.realpath(f"/proc/{push.process.pid}/fd/{fd}") == spool
            for fd in os.listdir(f"/proc/{push.process.pid}/fd")), "the spool")
        wait_until(lambda: b" FLOCK " in watchdog.run(
            ["cat", f"/proc/{push.process.pid}/fdinfo/3"]).stdout, "the lock")
        steps.refused("push", receiver.url(), "--spool=" + spool,
                      place.file("one"), why="another tally push uses it")
        push.end()


def a_certificate_is_checked(place):
    outcome = watchdog.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", place.file("key"), "-out", place.file("certificate")])
    equal("openssl", 0, outcome.status)
    with Steps(place) as steps, Receiver() as receiver:
        steps.do("a")
        steps.run("snapshot", "-o", place.file("one"), steps.pid)
        receiver.wrap(place.file("certificate"), place.file("key"))
        push = Push(place, receiver.url(scheme="https"), place.file("one"))
        said = push.line()
        assert "certificate" in said, said
        equal("status", 1, push.end()[0])
        equal("received", [], receiver.asked)


main(allocations_are_counted_once_and_what_is_held_each_time,
     nothing_is_lost_or_twice_over_restarts,
     a_full_disk_has_nothing_told_twice,
     the_push_service_has_labels_of_its_own, programs_of_a_name_come_and_go,
     the_end_of_a_program_is_told,
     a_program_that_is_run_next_is_another_one,
     ledgers_are_sent_once, all_images_of_a_recording_are_sent,
     what_is_left_is_sent_while_it_is_accepted,
     what_is_on_its_way_is_not_sent_again,
     a_spool_is_sent_without_a_source, a_name_is_not_the_programs_file,
     no_half_of_a_header_is_sent, the_oldest_goes_where_there_is_no_room,
     a_bad_receiver_does_no_harm, a_folder_of_others_is_refused,
     a_second_signal_ends_it, a_server_of_symbols_that_says_nothing,
     no_address, a_certificate_is_checked)
