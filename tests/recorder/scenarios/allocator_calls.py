# SPDX-License-Identifier: Apache-2.0
"""An allocator's own functions, in each way of recording them."""

import os
import subprocess

from harness import scenario
from harness.attached_program import Program, account, written
from harness.expectation import Expectation
from harness.scenario import equal

VICTIMS = os.path.join(os.path.dirname(__file__), "..", "victims")


def has(place, name):
    if not os.path.exists(place.victim(name)):
        raise scenario.Skip(f"no {name}; scripts/install-deps test")


def check(found, name, but=()):
    expected = Expectation(os.path.join(VICTIMS, f"{name}.expect"), "")
    expected.first = [words for words in expected.first
                      if words[0] not in but and words[1] not in but]
    problems = list(expected.check(found))
    assert not problems, "; ".join(problems)


def attached(name, *options):
    def step(place):
        has(place, name)
        with Program(place, "waits", victim=name) as program:
            file = place.file("a")
            attaching = program.attach(file, *options)
            program.process.stdin.write(b"x")
            program.process.stdin.flush()
            equal("status", 0, program.process.wait(30))
            written(attaching)
            # mi_reallocarray cannot be patched: it calls a function that is.
            check(account(place, file), name, ("array", "notice"))
    step.__name__ = "_".join(("attached", name, *options)).replace("-", "")
    return step


def recorded(name, *options):
    def step(place):
        has(place, name)
        outcome = place.recorder.run([place.victim(name)], options)
        equal(outcome.stderr.decode(), 0, outcome.status)
        check(place.recorder.first(), name)
    step.__name__ = "_".join(("recorded", name, *options)).replace("-", "")
    return step


BESIDE = """
#include <jemalloc/jemalloc.h>
#include <stdlib.h>
static void *small(void) { return mallocx(8, 0); }
static void *plain(void) { return malloc(8); }
int main(void) {
    static void *blocks[1000], *others[1000];
    for (int i = 0; i < 1000; i++) {
        blocks[i] = small();
        others[i] = plain();
    }
    for (int i = 0; i < 1000; i += 2) {
        sdallocx(blocks[i], 8, 0);
        free(others[i]);
    }
    return 0;
}
"""


def beside_libcs_malloc(place):
    """Test libc's malloc, whose blocks are 16 bytes apart; those of jemalloc
    are 8 apart."""
    source, program = place.file("beside.c"), place.file("beside")
    scenario.write_file(source, BESIDE)
    built = subprocess.run(
        ["cc", "-O0", "-g", "-fno-builtin", source, "-o", program,
         "-Wl,--no-as-needed", "-lc", "-ljemalloc"], check=False)
    if built.returncode != 0:
        raise scenario.Skip("no libjemalloc-dev; scripts/install-deps test")
    outcome = place.recorder.run([program])
    equal(outcome.stderr.decode(), 0, outcome.status)
    found = place.recorder.first()
    for function in ("small", "plain"):
        equal(function, (1000, 8000, 500, 4000), tuple(
            found.column("sites", function, column) for column in
            ("blocks_total", "bytes_total", "blocks_live", "bytes_live")))
    equal("frees not seen", 0, found.lost("unseen_frees"))


PLUGIN = """
#include <jemalloc/jemalloc.h>
void *in_plugin(void) { return mallocx(70, 0); }
"""
HOST = """
#include <dlfcn.h>
#include <jemalloc/jemalloc.h>
#include <string.h>
int main(int count, char **names) {
    void *plugin = count == 2 ? dlopen(names[1], RTLD_NOW) : NULL, *symbol;
    void *(*in_plugin)(void);
    if (plugin == NULL)
        return 1;
    symbol = dlsym(plugin, "in_plugin");
    memcpy(&in_plugin, &symbol, sizeof symbol);
    for (int i = 0; i < 10; i++)
        dallocx(in_plugin(), 0);
    in_plugin();
    return 0;
}
"""


def called_by_a_plugin(place):
    """Test a plugin that is loaded, and binds, while the program runs."""
    for name, text, options in (("plugin.so", PLUGIN, ["-shared", "-fPIC"]),
                                ("host", HOST, ["-Wl,--no-as-needed"])):
        scenario.write_file(place.file(f"{name}.c"), text)
        built = subprocess.run(
            ["cc", "-O0", "-g", *options, place.file(f"{name}.c"), "-o",
             place.file(name), "-ljemalloc"], check=False)
        if built.returncode != 0:
            raise scenario.Skip("no libjemalloc-dev; scripts/install-deps "
                                "test")
    outcome = place.recorder.run([place.file("host"), place.file("plugin.so")])
    equal(outcome.stderr.decode(), 0, outcome.status)
    found = place.recorder.first()
    equal("blocks", 11, found.column("sites", "in_plugin", "blocks_total"))
    equal("live", 1, found.column("sites", "in_plugin", "blocks_live"))


def bound_otherwise(*options):
    """Test addresses of the executable's own, or all bound before it runs."""
    def step(place):
        has(place, "jemalloc_calls")
        program = place.file("jemalloc_calls")
        subprocess.run(
            ["cc", "-O0", "-g", "-fno-builtin", "-D_GNU_SOURCE",
             f"-I{VICTIMS}/../../..", f"{VICTIMS}/jemalloc_calls.c", "-o",
             program, *options, "-ljemalloc"], check=True)
        outcome = place.recorder.run([program])
        equal(outcome.stderr.decode(), 0, outcome.status)
        check(place.recorder.first(), "jemalloc_calls")
    step.__name__ = "_".join(("bound", *options)).replace("-", "")
    return step


LATE = """
#include <dlfcn.h>
int main(void) { return dlopen("libmimalloc.so.2", RTLD_NOW) == 0; }
"""


def loaded_late(place):
    """Test a library that is loaded too late to be bound: a notice names it,
    and no library that is there already."""
    has(place, "mimalloc_calls")
    for links, times in (([], 1), (["-Wl,--no-as-needed", "-lmimalloc"], 0)):
        source, program = place.file("late.c"), place.file("late")
        scenario.write_file(source, LATE)
        subprocess.run(["cc", source, "-o", program, *links], check=True)
        outcome = place.recorder.run([program], ["-f"])
        equal(outcome.stderr.decode(), 0, outcome.status)
        equal(f"notices, linked with {links}", times,
              place.recorder.first().notices().get("own_allocator", 0))


scenario.main(
    loaded_late, *(bound_otherwise(*options) for options in (
        ("-no-pie",), ("-Wl,-z,lazy",), ("-Wl,-z,now",),
        ("-Wl,--hash-style=sysv",))), beside_libcs_malloc, called_by_a_plugin,
    *(attached("mimalloc_calls", *options) for options in (
        (), ("--stacks=caller",))),
    *(step(f"{where}{name}_calls", *options)
      for step in (attached, recorded) for where in ("", "inside_")
      for name in ("jemalloc", "tcmalloc")
      for options in ((), ("--stacks=caller",),
                      ("--stacks=sampled", "--interval=1"))))
