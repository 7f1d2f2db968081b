# SPDX-License-Identifier: Apache-2.0
"""Children that a preload would break run normally, and are named.

They are a program of another C library; one whose shared sanitizer runtime
refuses to run behind a preload, crashes there or no longer finds leaks; and
one in a root without a recorder, of which the loader would complain. A program
with the runtime inside is recorded, like one with its own allocator.
"""

import os
import re
import shutil

from harness import scenario, watchdog
from harness.scenario import equal

SOURCE = """
#include <stdlib.h>
#include <unistd.h>
void *volatile leaked;
int main(int count, char **arguments)
{
    free(malloc(10));
    leaked = malloc(77);
    if (count == 2 && arguments[1][0] == 'l')
        leaked = NULL;
    else
        free(leaked);
    return write(1, "hello\\n", 6) == 6 ? 3 : 1;
}
"""

FINDS_LEAKS = 23
LOADER = "/lib64/ld-linux-x86-64.so.2"


def without_numbers(outcome):
    """Mask PIDs and addresses, which differ each time."""
    outcome.stderr = re.sub(rb"==\d+==|0x[0-9a-f]+", b"", outcome.stderr)
    return outcome


def compare(place, child, commands, status=3, code="child_no_preload",
            names="ledger"):
    """Test commands that run the child; it leaves no ledger."""
    for number, command in enumerate(commands):
        name = f"{names}{status}-{number}"
        plain = without_numbers(watchdog.run(command))
        equal(f"the plain run, {plain.stderr.decode()}", status, plain.status)
        recorded = without_numbers(place.recorder.run(command, name=name))
        scenario.same_run(plain, recorded)
        equal("its ledgers", [], [
            file for file in place.recorder.child_files(name)
            if place.recorder.report(file)["process"]["program"] == child])
        told = [(notice["code"], notice["text"]) for report in
                place.recorder.first(name).reports +
                place.recorder.children(name).reports
                for notice in report["notices"]]
        assert any(found == code and os.path.basename(child) in text
                   for found, text in told), \
            f"{command}: no notice {code} names the child: {told}"


def build_child(place, compiler, *options):
    if shutil.which(compiler) is None:
        raise scenario.Skip(f"no {compiler}; scripts/install-deps test")
    scenario.write_file(place.file("child.c"), SOURCE)
    child = place.file("child")
    built = watchdog.run([compiler, "-g", *options, "-o", child,
                          place.file("child.c")])
    equal(f"{compiler}: {built.stderr.decode()}", 0, built.status)
    scenario.write_file(place.file("script_of_child"), f"#!{child}\n")
    os.chmod(place.file("script_of_child"), 0o755)
    return child


def run_child(place, code, *compiler):
    child = build_child(place, *compiler)
    compare(place, child, (
        [place.victim("runs_program"), "with", child],
        ["/bin/sh", "-c", f"{child}; exit $?"],
        ["/bin/sh", "-c", f"exec {place.file('script_of_child')}"],
        ["/usr/bin/env", child]), code=code)
    return child


def musl(place):
    run_child(place, "child_foreign", "musl-gcc")


def with_runtime(place, compiler, *options):
    """Return the folder of clang's libraries, for -Wl,-rpath."""
    if compiler == "clang":
        found = watchdog.run([compiler, "-print-runtime-dir"])
        folder = found.stdout.decode().strip()
        options += ("-shared-libsan", f"-Wl,-rpath,{folder}")
    return compiler, *options


def sanitizer(place, *compiler):
    return run_child(place, "child_sanitized", *with_runtime(place, *compiler))


def gcc_address(place):
    sanitizer(place, "/usr/bin/gcc", "-fsanitize=address")


def gcc_thread(place):
    sanitizer(place, "/usr/bin/gcc", "-fsanitize=thread")


def clang_address(place):
    sanitizer(place, "clang", "-fsanitize=address")


def gcc_leak(place):
    """Test that its leak report stays, and the status for it."""
    child = sanitizer(place, "/usr/bin/gcc", "-fsanitize=leak")
    compare(place, child, (
        ["/bin/sh", "-c", f"{child} leak; exit $?"],
        ["/usr/bin/env", child, "leak"]), FINDS_LEAKS, "child_sanitized")


def by_the_loader(place):
    """Test a program run by the loader: it is checked, and refused at the
    top."""
    for sanitizer, status in (("leak", FINDS_LEAKS), ("thread", 3),
                              ("address", 3)):
        child = build_child(place, "/usr/bin/gcc", f"-fsanitize={sanitizer}")
        argument = "leak" if sanitizer == "leak" else "no"
        loader = [LOADER, "--argv0", "a name", "--inhibit-cache", child,
                  argument]
        compare(place, child, (
            ["/usr/bin/env", *loader],
            ["/bin/sh", "-c", f"{LOADER} {child} {argument}; exit $?"]),
            status, "child_sanitized", sanitizer)
        outcome = place.recorder.run(loader, name=sanitizer)
        equal("status at the top", 2, outcome.status)
        equal("output at the top", b"", outcome.stdout)
        assert f"tally: {LOADER}: what it loads, {child} is built with" in \
            outcome.stderr.decode(), outcome.stderr
        assert not os.path.exists(place.recorder.ledger(sanitizer))
    hello = place.victim("says_hello")
    recorded = place.recorder.run([LOADER, hello], name="hello")
    scenario.same_run(watchdog.run([LOADER, hello]), recorded)
    equal("notices of one that is recorded", {},
          place.recorder.first("hello").notices())


def needed_by_a_library(place):
    """Test that the loader keeps its order of libraries: the runtime works as
    without a recorder, and the program is recorded."""
    for sanitizer in "thread", "address", "leak":
        scenario.write_file(place.file("library.c"),
                            "int two(void) { return 2; }")
        library = place.file(f"lib{sanitizer}.so")
        runtime = f"-l{sanitizer[0]}san"
        program = place.file(sanitizer)
        scenario.write_file(place.file("program.c"), """
            #include <stdio.h>
            #include <stdlib.h>
            int two(void);
            int main(void) { free(malloc(10)); return printf("%d\\n", two()); }
            """)
        for command in (
                ["/usr/bin/gcc", "-shared", "-fPIC", "-o", library,
                 place.file("library.c"), "-Wl,--no-as-needed", runtime],
                ["/usr/bin/gcc", "-o", program, place.file("program.c"),
                 library, "-Wl,-rpath," + place.folder]):
            built = watchdog.run(command)
            equal(f"{command}: {built.stderr.decode()}", 0, built.status)
        plain = without_numbers(watchdog.run([program]))
        recorded = without_numbers(
            place.recorder.run([program], name="library" + sanitizer))
        scenario.same_run(plain, recorded)
    equal("plain status of the last", 2, plain.status)


def preloaded(place):
    """Test LD_PRELOAD, in which both want to be first."""
    child = place.victim("says_hello")
    runtime = watchdog.run(["/usr/bin/gcc", "-print-file-name=libasan.so"])
    runtime = os.path.realpath(runtime.stdout.decode().strip())
    for name, order in (("before", f"{runtime}:$LD_PRELOAD"),
                        ("behind", f"$LD_PRELOAD {runtime}")):
        command = ["/bin/sh", "-c",
                   f"LD_PRELOAD=\"{order}\" {child}; exit $?"]
        plain = without_numbers(watchdog.run(command))
        recorded = without_numbers(
            place.recorder.run(command, name=name))
        scenario.same_run(plain, recorded)
        assert place.recorder.first(name).notices().get(
            "child_sanitized") == 1
    outcome = watchdog.run(["/usr/bin/env", "LD_PRELOAD=/nowhere/libasan.so.8",
                            place.recorder.tally, "record", child])
    assert outcome.status == 2 and (
        b"LD_PRELOAD: AddressSanitizer's runtime refuses to run behind a "
        b"preload; take it out to record") in outcome.stderr, outcome.stderr


def not_followed(place):
    """Test that children excluded from recording are not broken either."""
    child = build_child(place, "/usr/bin/gcc", "-fsanitize=address")
    commands = ([place.victim("runs_program"), "with", child],
                ["/bin/sh", "-c", f"{child}; exit $?"],
                ["/usr/bin/env", child])
    for options in (["--follow=none"], ["--follow=fork"],
                    ["--sysctl=vm.mem_profiling=never"]):
        for number, command in enumerate(commands):
            plain = watchdog.run(command)
            equal(f"the plain run, {plain.stderr.decode()}", 3, plain.status)
            scenario.same_run(plain, place.recorder.run(
                command, options, name=f"{options[0]}-{number}"))


def behind_another_library(place):
    """Test a runtime that is not the first library that the program needs."""
    run_child(place, "child_sanitized", "/usr/bin/gcc", "-Wl,--no-as-needed",
              "-lm", "-fsanitize=leak")


def inside(place):
    """Test a runtime inside the program, which bypasses the recorder and
    works."""
    for sanitizer, status in (("address", 1), ("leak", FINDS_LEAKS),
                              ("undefined", 3), ("thread", 3)):
        child = build_child(place, "clang", f"-fsanitize={sanitizer}")
        plain = without_numbers(watchdog.run([child, "leak"]))
        equal(f"the plain run, {plain.stderr.decode()}", status, plain.status)
        name = "ledger" + sanitizer
        recorded = place.recorder.run([child, "leak"], name=name)
        scenario.same_run(plain, without_numbers(recorded))
        equal(f"its notices with {sanitizer}",
              {} if sanitizer == "undefined" else {"own_allocator": 1},
              place.recorder.first(name).notices())


def without_recorder(place):
    if os.getuid() != 0:
        raise scenario.Skip("only root can change the root; run it as root")
    root = place.file("root")
    libraries = watchdog.run(["/usr/bin/ldd", place.victim("says_hello")])
    for path in re.findall(r"/\S+", libraries.stdout.decode()):
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        shutil.copy(path, root + path)
    shutil.copy(place.victim("says_hello"), root)
    compare(place, "/says_hello",
            [["/usr/sbin/chroot", root, "/says_hello"]])


scenario.main(musl, gcc_address, gcc_thread, clang_address, gcc_leak,
              by_the_loader, needed_by_a_library, preloaded, not_followed,
              behind_another_library, inside, without_recorder)
