# SPDX-License-Identifier: Apache-2.0
"""A program under gdb: before, while and after it is attached to."""

import os
import re
import signal
import subprocess

from harness import scenario, watchdog
from harness.attached_program import Program, is_clean
from harness.recording import Account
from harness.scenario import Skip, equal

FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]+ in )?(.+?) \(", re.MULTILINE)


class Gdb:
    """gdb, attached to a process, which obeys commands."""

    def __init__(self, pid):
        settings = [word for setting in
                    ("debuginfod enabled off", "width 0", "prompt",
                     "pagination off", "confirm off")
                    for word in ("-iex", "set " + setting)]
        try:
            self.process = subprocess.Popen(
                ["gdb", "-nx", "-q", *settings, "-p", pid],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, env=watchdog.clean_environment())
        except FileNotFoundError as missing:
            raise Skip("no gdb; scripts/install-deps test") from missing
        self.do("")

    def send(self, line):
        self.process.stdin.write(f"{line}\necho \\n+done+\\n\n".encode())
        self.process.stdin.flush()

    def answer(self):
        lines = []
        while not lines or "+done+" not in lines[-1]:
            lines.append(self.process.stdout.readline().decode())
            assert lines[-1], lines
        return "".join(lines[:-1])

    def do(self, line):
        self.send(line)
        return self.answer()

    def stack(self):
        return FRAME.findall(self.do("bt"))

    def leave(self):
        self.process.communicate(b"detach\nquit\n", timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def attached_again(place, program):
    attaching = program.attach(place.file("again"))
    program.do("at")
    program.detach(attaching)
    assert is_clean(program.pid)
    found = Account([place.recorder.report(place.file("again"))])
    equal("allocations", 200, found.total("allocations"))


def refused_while_it_traces(place):
    with Program(place) as program, Gdb(program.pid) as gdb:
        outcome = watchdog.run([program.tally, "attach", program.pid, "-o",
                                place.file("a")])
        equal("status", 2, outcome.status)
        wanted = f"already traced by process {gdb.process.pid} (gdb); stop"
        assert wanted in outcome.stderr.decode(), outcome.stderr
        equal("files", [], os.listdir(place.folder))
        gdb.leave()
        attached_again(place, program)
        program.end()


def stop_in_an_allocation(gdb, program, place_of_it):
    """Stop in one of 100 allocations; return gdb's stack, and let the program
    go on."""
    gdb.do(f"break {place_of_it}")
    gdb.send("continue")
    program.process.stdin.write(b"a")
    program.process.stdin.flush()
    gdb.answer()
    found = gdb.stack()
    gdb.do("delete")
    return found


def while_it_is_recorded(place):
    """Test that gdb's stack leads through the recorder and moved code to the
    end."""
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        program.do("a")
        with Gdb(program.pid) as gdb:
            # libc's malloc extends the heap, behind the jump.
            found = stop_in_an_allocation(gdb, program, "sbrk")
            equal("callers", ["first", "main"], found[-2:])
            assert len(found) >= 5, found
            gdb.leave()
        program.expect(".")
        program.detach(attaching)
        assert is_clean(program.pid)
        found = Account([place.recorder.report(place.file("a"))])
        equal("allocations", 200, found.total("allocations"))
        program.end()


def after_it_was(place):
    with Program(place) as program:
        attached_again(place, program)
        with Gdb(program.pid) as gdb:
            found = stop_in_an_allocation(gdb, program, "first")
            equal("callers", ["first", "main"], found)
            gdb.leave()
        program.expect(".")
        program.end()


def the_end_is_refused(place):
    """Test that the recording goes on, or that its jumps stay until the next
    tally detach."""
    with Program(place) as program:
        attaching = program.attach(place.file("a"))
        with Gdb(program.pid) as gdb:
            outcome = watchdog.run([program.tally, "detach", program.pid])
            equal("status", 2, outcome.status)
            assert b"traces its threads; stop that" in outcome.stderr, \
                outcome.stderr
            attaching.send_signal(signal.SIGINT)
            _, said = attaching.communicate(timeout=30)
            assert f"the recorder until tally detach {program.pid}" in \
                said.decode(), said
            gdb.leave()
        program.do("at")
        outcome = watchdog.run([program.tally, "detach", program.pid])
        equal(outcome.stderr.decode(), 0, outcome.status)
        assert is_clean(program.pid)
        attached_again(place, program)
        program.end()


scenario.main(refused_while_it_traces, while_it_is_recorded, after_it_was,
              the_end_is_refused)
