# SPDX-License-Identifier: Apache-2.0
"""Sampled blocks fire USDT probes, which other tools find and read."""

import json
import os
import re
import shutil

from harness import watchdog
from harness.scenario import Skip, equal, main, write_file

NOTE = re.compile(r"Provider: (\S+)\s+Name: (\S+)\s+Location: (\S+), "
                  r"Base: \S+, Semaphore: (\S+)\s+Arguments: (.*)")
ARGUMENTS = "8@%rdi 8@%rsi 8@%rdx"
NOP = 0x90
LISTENER = """set width 0
set startup-with-shell off
set breakpoint pending on
break -probe-stap otel_memory:alloc
commands
silent
printf "alloc %lu %lu %lu\\n", $_probe_arg0, $_probe_arg1, $_probe_arg2
continue
end
break -probe-stap otel_memory:free
commands
silent
printf "free %lu\\n", $_probe_arg0
continue
end
run
"""


def library(place):
    build = os.path.dirname(os.path.dirname(place.recorder.tally))
    return os.path.join(build, "lib", "libtally-record.so")


def gdb(*commands):
    """Return its command, without the settings of a user."""
    if shutil.which("gdb") is None:
        raise Skip("no gdb; scripts/install-deps test")
    words = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    return [*words, *commands]


def output(command):
    outcome = watchdog.run(command, timeout=60)
    equal(f"status of {command[0]}", 0, outcome.status)
    return outcome.stdout.decode()


def notes_say_where_the_arguments_are(place):
    """Test that functions contain them; each is one nop."""
    if shutil.which("readelf") is None:
        raise Skip("no readelf; scripts/install-deps test")
    notes = NOTE.findall(output(["readelf", "-nW", library(place)]))
    equal("probes", [("otel_memory", "alloc", ARGUMENTS),
                     ("otel_memory", "free", ARGUMENTS.split()[0])],
          sorted((provider, name, arguments.strip())
                 for provider, name, _, _, arguments in notes))
    for _, name, where, semaphore, _ in notes:
        equal(f"{name}: semaphore", 0, int(semaphore, 16))
        code = output(gdb("-ex", f"x/xb {where}", library(place)))
        equal(f"{name}: code", NOP, int(code.split()[-1], 16))


def gdb_and_perf_list_them(place):
    listed = output(gdb("-ex", "info probes stap otel_memory",
                        library(place)))
    equal("gdb", ["alloc", "free"],
          re.findall(r"^stap +otel_memory +(\S+)", listed, re.M))
    perf = ["perf", "--buildid-dir", place.file("perf")]
    if shutil.which("perf") is None:
        raise Skip("no perf; scripts/install-deps test")
    output([*perf, "buildid-cache", "--add", library(place)])
    equal("perf", ["alloc", "free"],
          re.findall(r"sdt_otel_memory:(\S+)",
                     output([*perf, "list", "sdt"])))


def a_listener_hears_what_the_ledger_has(place):
    """Test that probes are exact to the byte; the free of a block comes once,
    after its allocation."""
    write_file(place.file("listener"), LISTENER)
    outcome = place.recorder.run(
        gdb("-x", place.file("listener"), place.victim("known_lives")),
        ["--stacks=sampled", "--interval=512K", "--seed=1"])
    equal("status", 0, outcome.status)
    report = json.loads(output(
        [place.recorder.tally, "report", "--json", place.recorder.sysroot,
         "--process=known_lives", place.recorder.ledger()]))
    live, heard, total = {}, 0, 0
    for line in outcome.stdout.decode().splitlines():
        word, *numbers = line.split()
        if word == "alloc":
            address, size, weight = map(int, numbers)
            assert size in (40, 200, 1000, 3000, 100000), f"size {size}"
            assert weight >= size, f"{size} bytes stand for {weight}"
            equal(f"{address:#x} lives", False, address in live)
            live[address] = weight
            heard, total = heard + 1, total + weight
        elif word == "free":
            assert int(numbers[0]) in live, f"freed: {line}"
            del live[int(numbers[0])]
    assert heard > 10, outcome.stderr.decode()
    equal("samples", report["sampling"]["samples"], heard)
    equal("bytes", report["totals"]["bytes_allocated"], total)
    equal("live", report["totals"]["leaked_bytes"], sum(live.values()))


main(notes_say_where_the_arguments_are, gdb_and_perf_list_them,
     a_listener_hears_what_the_ledger_has)
