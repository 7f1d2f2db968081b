# SPDX-License-Identifier: Apache-2.0
"""An allocator whose names have a prefix, beside malloc, in every mode."""

import os
import subprocess

from harness import scenario, watchdog
from harness.attached_program import Program, account, written
from harness.scenario import equal

# Blocks and bytes ever allocated, and live blocks.
EXPECTED = {
    "plain": (20, 2000, 12),
    "zeroed": (4, 84, 4),
    "grown": (3, 900, 3),
    "with_flags": (6, 300, 0),
    "of_libc": (9, 360, 9),
}


def look(found, options):
    for function, expected in EXPECTED.items():
        equal(function, expected, tuple(
            found.column("sites", function, column) for column in
            ("blocks_total", "bytes_total", "blocks_live")))
    # rallocx of main, four of which live, and the one that was aligned
    equal("main", (7, 6 * 60 + 30, 5), tuple(
        found.column("sites", "main", column) for column in
        ("blocks_total", "bytes_total", "blocks_live")))
    if "--stacks=sampled" not in options:
        equal("pool", 0,
              found.column("sites", "toy_malloc", "blocks_total"))
    equal("frees not seen", 0, found.lost("unseen_frees"))


def as_built(place):
    return place.victim("prefixed_allocator")


def stripped(place):
    """Return an executable whose symbols are in a separate file."""
    built, program = as_built(place), place.file("stripped")
    symbols = place.file("stripped.debug")
    for command in (["objcopy", "--only-keep-debug", built, symbols],
                    ["strip", f"-o{program}", built],
                    ["objcopy", f"--add-gnu-debuglink={symbols}", program]):
        subprocess.run(command, check=True)
    return program


def attached(*options, build=as_built):
    def step(place):
        with Program(place, "waits", victim=build(place)) as program:
            file = place.file("a")
            attaching = program.attach(file, "--allocator=toy_", *options)
            program.process.stdin.write(b"x")
            program.process.stdin.flush()
            equal("status", 0, program.process.wait(30))
            written(attaching)
            look(account(place, file), options)
    step.__name__ = "_".join(
        ("attached", build.__name__, *options)).replace("-", "")
    return step


def of(*options, build=as_built):
    def step(place):
        outcome = place.recorder.run(
            [build(place)], ["--allocator=toy_", *options])
        equal(outcome.stderr.decode(), 0, outcome.status)
        look(place.recorder.first(), options)
    step.__name__ = "_".join(
        ("exact", build.__name__, *options)).replace("-", "")
    return step


def of_a_prefix_that_is_known(place):
    outcome = place.recorder.run([place.victim("known_allocator")])
    equal(outcome.stderr.decode(), 0, outcome.status)
    found = place.recorder.first()
    look(found, ())
    equal("notices", {}, found.notices())


def beside_malloc_alone(place):
    """Test that without the option only the pool and malloc's blocks are
    counted."""
    outcome = place.recorder.run([place.victim("prefixed_allocator")])
    equal("status", 0, outcome.status)
    found = place.recorder.first()
    equal("plain", 0, found.column("sites", "plain", "blocks_total"))
    equal("pool", 1, found.column("sites", "toy_malloc", "blocks_total"))
    equal("of_libc", 9, found.column("sites", "of_libc", "blocks_total"))


def stripped_of_its_symbols(place):
    program = stripped(place)
    os.remove(place.file("stripped.debug"))
    outcome = place.recorder.run([program], ["--allocator=toy_"])
    equal("status", 2, outcome.status)
    assert b"--allocator=toy_: no such allocator is in the program" in \
        outcome.stderr, outcome.stderr


def none_of_that_name(place):
    outcome = place.recorder.run([place.victim("prefixed_allocator")],
                                 ["--allocator=yot_"])
    equal("status", 2, outcome.status)
    assert b"--allocator=yot_: no such allocator is in the program" in \
        outcome.stderr, outcome.stderr


def attached_to_none(place):
    with Program(place, "waits", victim="prefixed_allocator") as program:
        outcome = watchdog.run([program.tally, "attach", program.pid, "-o",
                                place.file("a"), "--allocator=yot_"])
        equal("status", 2, outcome.status)
        assert b"--allocator=yot_: no such allocator is in the program" in \
            outcome.stderr, outcome.stderr
        program.process.stdin.write(b"x")
        program.process.stdin.flush()
        equal("status", 0, program.process.wait(30))


PLUGIN = """
#include <stdlib.h>
void *toy_malloc(size_t size) { return malloc(size + 8); }
void toy_free(void *block) { free(block); }
"""
HOST = """
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **names) {
    void *plugin = dlopen(names[1], RTLD_NOW);
    char byte;
    if (count != 2 || plugin == NULL || write(1, "x", 1) != 1 ||
        read(0, &byte, 1) != 1 || dlclose(plugin) != 0)
        return 1;
    for (int i = 0; i < 5000; i++)
        free(malloc(100 + i));
    return 0;
}
"""


def attached_with_a_plugin_that_is_unloaded(place):
    """Test that memory stays mapped that the recorder reads to see if it is
    left."""
    plugin, host = place.file("plugin.so"), place.file("host")
    for output, source, options in ((plugin, PLUGIN, ["-shared", "-fPIC"]),
                                    (host, HOST, [])):
        scenario.write_file(f"{output}.c", source)
        subprocess.run(["cc", "-g", *options, f"{output}.c", "-o", output],
                       check=True)
    with subprocess.Popen([host, plugin], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as program:
        equal("ready", b"x", program.stdout.read(1))
        with subprocess.Popen(
                [place.recorder.tally, "attach", "-o", place.file("a"),
                 "--allocator=toy_", str(program.pid)],
                stderr=subprocess.PIPE) as attaching:
            said = attaching.stderr.readline()
            assert b"attached to" in said, said
            program.communicate(b"x", timeout=30)
            equal("status", 0, program.returncode)
            attaching.communicate(timeout=30)
    equal("blocks", 5000, account(place, place.file("a")).column(
        "sites", "main", "blocks_total"))


scenario.main(of(), of(build=stripped), of("--stacks=caller"),
              of("--events"),
              of("--stacks=sampled", "--interval=1"), beside_malloc_alone,
              of_a_prefix_that_is_known,
              stripped_of_its_symbols, none_of_that_name, attached(),
              attached_with_a_plugin_that_is_unloaded,
              attached(build=stripped), attached("--stacks=caller"),
              attached_to_none)
