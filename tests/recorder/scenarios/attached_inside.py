# SPDX-License-Identifier: Apache-2.0
"""tally attach in confined programs: seccomp filters, a container."""

import os
import re
import shutil
import subprocess
import time

from harness import scenario, watchdog
from harness.attached_program import (Program, account, children_of, code_of,
                                      has, is_clean)
from harness.scenario import Skip, equal


def in_a_filter(place):
    """Test that attaching makes only the calls listed in thread_calls.h, and
    copes where an optional one fails."""
    if os.geteuid() != 0:
        raise Skip("only root may read filters; run it as root")
    for name, *options in (("listed",), ("needed",), ("docker",),
                           ("listed", "--events", "-f"),
                           ("listed", "--stacks=sampled", "--interval=1"),
                           ("needed", "--stacks=caller")):
        with Program(place, name) as program:
            for file in ("a", "b"):
                attaching = program.attach(place.file(file), "-f", *options)
                program.do("at")
                outcome = watchdog.run([program.tally, "snapshot", "-f", "-o",
                                        place.file("s"), program.pid])
                equal(outcome.stderr.decode(), 0, outcome.status)
                program.do("cabff")
                program.detach(attaching)
                assert is_clean(program.pid)
            program.do("abt")
            found = account(place, place.file("a"))
            has(found, "first", 200, 140)
            if name == "docker":
                equal("stack", 200, found.stack_blocks(["first", "main"]))
            program.end()


def filters_that_refuse_us(place):
    if os.geteuid() != 0:
        raise Skip("only root may read filters; run it as root")
    for name, why in (("ends", "may kill it for memfd_create"),
                      ("fails", "refuses memfd_create"),
                      ("thread", "may kill it for memfd_create")):
        with Program(place, name) as program:
            outcome = watchdog.run([program.tally, "attach", program.pid,
                                    "-o", place.file("a")])
            equal("status", 2, outcome.status)
            assert why in outcome.stderr.decode(), outcome.stderr
            program.do("abtf")
            program.end()


def container(place, *script):
    """A container: a root with the victim and its libraries on an overlay file
    system, and a PID namespace."""
    if os.geteuid() != 0:
        raise Skip("only root may change its root; run it as root")
    lower, upper, work, root = (place.file(name) for name in
                                ("lower", "upper", "work", "root"))
    for folder in (lower + "/proc", upper, work, root):
        os.makedirs(folder)
    shutil.copy(place.victim("steps"), lower + "/steps")
    libraries = subprocess.run(["ldd", place.victim("steps")], check=True,
                               stdout=subprocess.PIPE).stdout.decode()
    for path in re.findall(r"/\S+", libraries):
        os.makedirs(lower + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, lower + path)
    layers = f"lowerdir={lower},upperdir={upper},workdir={work}"
    return ["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-ec",
            "; ".join((f"mount -t overlay overlay -o {layers} {root} || "
                       f"mount --bind {lower} {root}",
                       f"cd {root}", *script)), "sh"]


def in_a_container(place):
    """Test attaching repeatedly, by the PID outside; children too."""
    inside = container(place, "mount -t proc proc proc", "mkdir -p old",
                       "pivot_root . old", 'exec "$@"')
    with Program(place, inside=inside) as program:
        place.recorder.sysroot = f"--sysroot=/proc/{program.pid}/root"
        for number in range(3):
            name = str(number)
            code, path, _ = code_of(program.pid)
            assert not path.startswith(place.folder), path
            attaching = program.attach(place.file(name))
            program.do("atc")
            child = children_of(program.pid)[number]
            outcome = watchdog.run([program.tally, "snapshot", "-f", "-o",
                                    place.file("s"), program.pid])
            equal(outcome.stderr.decode(), 0, outcome.status)
            assert code_of(child)[0] != code
            time.sleep(0.3)  # time to search for it
            program.detach(attaching)
            assert code_of(child)[0] == code
            assert code_of(program.pid)[0] == code
            program.do("bff")
            for file in (name, "s"):
                found = account(place, place.file(file))
                has(found, "first", 100, 100)
                has(found, "short_lived", 100, 0)
                equal("stack", 100, found.stack_blocks(["first", "main"]))
            equal("names", [f"{child}-0"], os.listdir(place.file(name + ".d")))
        with open(f"/proc/{program.pid}/maps", encoding="ascii") as file:
            equal("recorders", 1, len(re.findall(
                r"r-xp .*/libtally-record", file.read())))
        program.end()


def where_nothing_can_be_read(place):
    inside = container(place, 'exec chroot . "$@"')
    with Program(place, inside=inside) as program:
        outcome = watchdog.run([program.tally, "attach", program.pid, "-o",
                                place.file("a")])
        equal("status", 2, outcome.status)
        assert "/proc is not mounted in the root of the process; mount it " \
            "there" in outcome.stderr.decode(), outcome.stderr
        program.do("abtf")
        program.end()


scenario.main(in_a_filter, filters_that_refuse_us, in_a_container,
              where_nothing_can_be_read)
