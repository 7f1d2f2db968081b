# SPDX-License-Identifier: Apache-2.0
"""Children that a preload would break: they run as ever, and are named.

A program of another C library, one built with AddressSanitizer, whose runtime
refuses to run behind a preload, or ThreadSanitizer, whose crashes, and one in a
root where there is no recorder, of which the loader would complain.
"""

import os
import re
import shutil

from harness import scenario, watchdog
from harness.scenario import equal

SOURCE = """
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    free(malloc(10));
    return write(1, "hello\\n", 6) == 6 ? 3 : 1;
}
"""


def compare(place, child, commands):
    """Each command runs the child; none of it leaves a ledger."""
    for number, command in enumerate(commands):
        name = f"ledger{number}"
        plain = watchdog.run(command)
        equal(f"the plain run, {plain.stderr.decode()}", 3, plain.status)
        recorded = place.recorder.run(command, name=name)
        scenario.same_run(plain, recorded)
        equal("its ledgers", [], [
            file for file in place.recorder.child_files(name)
            if place.recorder.report(file)["process"]["program"] == child])
        told = [notice["text"] for report in
                place.recorder.first(name).reports +
                place.recorder.children(name).reports
                for notice in report["notices"]]
        assert any(os.path.basename(child) in text for text in told), \
            f"{command}: no notice names the child"


def run_child(place, *compiler):
    if shutil.which(compiler[0]) is None:
        raise scenario.Skip(f"no {compiler[0]}; scripts/install-deps test")
    scenario.write_file(place.file("child.c"), SOURCE)
    child = place.file("child")
    built = watchdog.run([*compiler, "-o", child, place.file("child.c")])
    equal(f"{compiler[0]}: {built.stderr.decode()}", 0, built.status)
    compare(place, child, (
        [place.victim("runs_program"), "with", child],
        ["/bin/sh", "-c", f"{child}; exit $?"],
        ["/usr/bin/env", child]))


def musl(place):
    run_child(place, "musl-gcc")


def address_sanitizer(place):
    run_child(place, "/usr/bin/gcc", "-fsanitize=address")


def thread_sanitizer(place):
    run_child(place, "/usr/bin/gcc", "-fsanitize=thread")


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


scenario.main(musl, address_sanitizer, thread_sanitizer, without_recorder)
