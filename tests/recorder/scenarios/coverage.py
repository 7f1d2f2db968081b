# SPDX-License-Identifier: Apache-2.0
"""Clean programs that a recording covers in part: no finding accuses them,
`tally check` passes them, and both say what they cannot judge."""

import json
import os
import shutil
import subprocess
import time

from harness import scenario, watchdog
from harness.attached_program import attach, written
from harness.scenario import equal, write_file

BUDGET = "rules:\n  - leaks = 0\n  - peak <= 60 MiB\n"
ALLOCATOR = """
#include <stddef.h>
#include <string.h>
static char pool[1 << 22] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t size)
{
    size_t *block = (size_t *)(pool + used);
    used += (size + 31) & ~(size_t)15;
    *block = size;
    return block + 2;
}
void free(void *block) { if (block != NULL) ((size_t *)block)[-2] = 0; }
void *calloc(size_t count, size_t size)
{
    return memset(malloc(count * size), 0, count * size);
}
void *realloc(void *block, size_t size)
{
    void *moved = malloc(size);
    return block == NULL ? moved : memcpy(moved, block, size);
}
int main(void)
{
    void *volatile block;
    for (int i = 0; i < 1000; i++) {
        block = malloc(100);
        free(block);
    }
    return 0;
}
"""


def report(place, file):
    return place.recorder.report(file)


def screen(place, file):
    outcome = watchdog.run(
        [place.recorder.tally, "report", file],
        environment={"COLUMNS": "80"})
    equal(f"report: {outcome.stderr.decode()}", 0, outcome.status)
    lines = outcome.stdout.decode().splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, outcome.stdout
    return lines


def kinds(found):
    return {finding["kind"] for finding in found["findings"]}


def unjudged(found):
    return {row["kind"]: row["why"] for row in found["not_judged"]}


def check(place, file, *expected):
    """Test that each rule is kept or, if expected, not judged."""
    write_file(place.file("budget.yaml"), BUDGET)
    outcome = watchdog.run([place.recorder.tally, "check",
                            "--budget=" + place.file("budget.yaml"), file])
    text = outcome.stdout.decode()
    equal(f"check: {text}", 0, outcome.status)
    equal(f"rules not judged: {text}", list(expected),
          [line.split(": ", 2)[2] for line in text.splitlines()
           if line.startswith("not judged: ")])


def record(place, name, part, *options):
    outcome = place.recorder.run([place.victim("covered"), part], options,
                                 name=name)
    equal(f"{part}: {outcome.stderr.decode()}", 0, outcome.status)
    return place.recorder.ledger(name)


class Program:
    """A victim that waits for a byte before it begins and before it ends."""

    def __init__(self, command, place):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=watchdog.clean_environment(), cwd=place.folder)
        equal("ready", b".", self.process.stdout.read(1))

    def go_on(self):
        self.process.stdin.write(b".")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def attached(place, part, name):
    """Record what the program does once it has filled its cache."""
    file = place.file(name)
    with Program([place.victim("covered"), part], place) as program:
        attaching = attach(place.recorder.tally, program.process.pid, file)
        program.go_on()
        equal("done", b".", program.process.stdout.read(1))
        outcome = watchdog.run([place.recorder.tally, "detach",
                                str(program.process.pid)])
        equal(f"detach: {outcome.stderr.decode()}", 0, outcome.status)
        written(attaching)
    return file


def an_attached_cache_is_clean(place):
    file = attached(place, "cache", "cache.tally")
    found = report(place, file)
    equal("findings", set(), kinds(found))
    equal("leaks", "still running", unjudged(found).get("leak"))
    equal("from the start", "attached while it ran",
          found["coverage"]["start"])
    assert any("not judged: leak" in line for line in screen(place, file))
    check(place, file, "leaks = 0: still running",
          "peak <= 60 MiB: attached while it ran")


def growth_after_attach_is_found(place):
    found = report(place, attached(place, "sessions", "sessions.tally"))
    equal("findings", {"growth"}, kinds(found))


def a_cache_is_clean_after_a_late_start(place):
    file = place.file("late.tally")
    with Program([place.recorder.tally, "record", "-q", "-o", file,
                  "--sysctl=vm.mem_profiling=0", "--",
                  place.victim("covered"), "cache"], place) as program:
        outcome = watchdog.run([place.recorder.tally, "ctl",
                                str(program.process.pid),
                                "vm.mem_profiling=1"])
        equal(f"ctl: {outcome.stderr.decode()}", 0, outcome.status)
        program.go_on()
        equal("done", b".", program.process.stdout.read(1))
        time.sleep(1)  # a look at pages, while the cache is full
        program.go_on()
        equal("status", 0, program.process.wait(30))
    found = report(place, file)
    equal("findings", set(), kinds(found))
    equal("from the start", "recording was off for a time",
          found["coverage"]["start"])
    check(place, file, "peak <= 60 MiB: recording was off for a time")


def workers_leak_nothing(place):
    file = record(place, "prefork", "prefork")
    files = place.recorder.child_files("prefork")
    equal("workers", 2, len(files))
    for one in [file, *files]:
        equal(f"findings of {one}", set(), kinds(report(place, one)))
        check(place, one)


def memory_of_brk_is_no_slack(place):
    file = record(place, "brk", "brk")
    found = report(place, file)
    equal("findings", set(), kinds(found))
    assert found["resident"]["anonymous_maps"] > 2 << 20, \
        found["resident"]
    check(place, file)


def unrecorded_memory_is_no_slack(place):
    for part in ("syscall", "namespace"):
        file = record(place, part, part)
        found = report(place, file)
        equal(f"findings of {part}", set(), kinds(found) - {"lost"})
        why = found["coverage"]["memory"]
        assert why is not None and why.endswith("MiB not recorded"), why
        equal("slack", why, unjudged(found)["slack"])
        equal("leaks", why, unjudged(found)["leak"])
        if part == "syscall":  # a loaded library is never freed
            check(place, file, "leaks = 0: " + why, "peak <= 60 MiB: " + why)
    lines = screen(place, file)
    assert "  unrecorded plugin_covered.so (dlmopen)" in lines, lines


def a_program_of_a_script_is_patched(place):
    """Test a malloc of the program's own, which another becomes by exec."""
    write_file(place.file("program.c"), ALLOCATOR)
    built = watchdog.run(["cc", "-O0", "-fno-builtin", "-o",
                          place.file("program"), place.file("program.c")])
    equal(f"cc: {built.stderr.decode()}", 0, built.status)
    write_file(place.file("script"),
               f"#!/bin/sh\nexec {place.file('program')}\n")
    os.chmod(place.file("script"), 0o755)
    place.recorder.run([place.file("script")], name="recording")
    [file] = place.recorder.child_files("recording")
    found = report(place, file)
    equal("program", place.file("program"), found["process"]["program"])
    first = place.recorder.ledger("recording")
    pid = str(report(place, first)["process"]["pid"])
    outcome = watchdog.run([place.recorder.tally, "report", "--json",
                            f"--process={pid}-0", first])
    equal("end of the shell", "became another program",
          json.loads(outcome.stdout)["coverage"]["end"])
    equal("blocks", 1000, found["totals"]["allocations"])
    equal("notices", [], found["notices"])
    check(place, file)


def children(place):
    """Return commands that run unrecorded, with the words that name them."""
    source = place.file("child.c")
    write_file(source, "int main(void) { return 0; }\n")
    narrow = place.file("narrow.c")  # needs no 32-bit libc
    write_file(narrow, "void _start(void) { __asm__(\"movl $1, %eax\\n"
                       "xorl %ebx, %ebx\\nint $0x80\"); }\n")
    built = {}
    for name, *command in (
            ("plain", "cc", source), ("static", "cc", "-static", source),
            ("musl", "musl-gcc", source),
            ("narrow", "cc", "-m32", "-nostdlib", "-static", narrow)):
        done = watchdog.run([*command, "-o", place.file(name)])
        equal(f"{name}: {done.stderr.decode()}", 0, done.status)
        built[name] = place.file(name)
    yield f"env -i {built['plain']}", "plain (no LD_PRELOAD)"
    yield f"{built['static']}", "static (static)"
    yield built["musl"], "musl (other libc or machine)"
    if watchdog.run(["sh", "-c", built["narrow"]]).status == 0:
        yield built["narrow"], "narrow (other libc or machine)"
    else:  # musl has the same words
        print("SKIPPED: a child of 32 bits: this kernel runs none; use another")
    if os.getuid() == 0:
        shutil.copy(built["plain"], place.file("other_user"))
        os.chown(place.file("other_user"), 1, 1)
        os.chmod(place.file("other_user"), 0o4755)
        yield place.file("other_user"), "other_user (set-user-ID)"


def children_are_on_the_screen(place):
    for command, words in children(place):
        name = words.split(" ", maxsplit=1)[0] + ".tally"
        place.recorder.run(["sh", "-c", f"{command}; true"], name=name)
        lines = screen(place, place.recorder.ledger(name))
        assert "  unrecorded " + words in lines, (command, lines)
        found = report(place, place.recorder.ledger(name))
        equal(command, words, found["coverage"]["unrecorded"])


scenario.main(an_attached_cache_is_clean, growth_after_attach_is_found,
              a_cache_is_clean_after_a_late_start, workers_leak_nothing,
              memory_of_brk_is_no_slack, unrecorded_memory_is_no_slack,
              a_program_of_a_script_is_patched, children_are_on_the_screen)
