# SPDX-License-Identifier: Apache-2.0
"""Children that a preload would break: they run as ever, and are named.

A program of another C library, and one built with AddressSanitizer, whose
runtime refuses to run behind a preload.
"""

import os
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


def run_child(place, *compiler):
    if shutil.which(compiler[0]) is None:
        raise scenario.Skip(f"{compiler[0]} is not installed")
    scenario.write_file(place.file("child.c"), SOURCE)
    child = place.file("child")
    built = watchdog.run([*compiler, "-o", child, place.file("child.c")])
    equal(f"{compiler[0]}: {built.stderr.decode()}", 0, built.status)
    for number, command in enumerate((
            [place.victim("runs_program"), "with", child],
            ["/bin/sh", "-c", f"{child}; exit $?"],
            ["/usr/bin/env", child])):
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


def musl(place):
    run_child(place, "musl-gcc")


def address_sanitizer(place):
    run_child(place, "/usr/bin/gcc", "-fsanitize=address")


scenario.main(musl, address_sanitizer)
