# SPDX-License-Identifier: Apache-2.0
"""A program, or a preloaded library, that defines functions with names of
libc's.

Each allocates, then calls libc's. The names are all functions of libc that the
recorder looks up or uses in any way. The recorder may call none of them: the
program prints their counts.
"""

import functools
import os
import platform
import re
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal

HERE = os.path.dirname(os.path.abspath(__file__))
VICTIM = os.path.join(HERE, "..", "victims", "taken_names.c")

# Functions of libc that the recorder uses, in any way.
USED = """abort clock_gettime close _dl_find_object dladdr dl_iterate_phdr
    __errno_location execve execvpe getauxval getcwd getenv getpid gettid
    gnu_get_libc_version madvise memchr memcmp memcpy memmove memset
    mprotect open openat pread pthread_attr_getstack pthread_attr_getstacksize
    pthread_attr_init pthread_equal pthread_getspecific pthread_key_create
    pthread_mutex_lock pthread_mutex_unlock pthread_once pthread_self
    pthread_setspecific pthread_sigmask pwrite read readlink sched_getcpu
    sched_yield secure_getenv sigprocmask stpcpy strchr strcmp strcpy strcspn
    strlen strncmp strnlen strrchr strstr sysconf time write""".split()

MODES = {
    "stacks": (),
    "callers": ("--stacks=caller",),
    "samples": ("--stacks=sampled", "--interval=1"),
    "events": ("--events",),
}

NOISE = r"""
#include <dlfcn.h>
#include <stdlib.h>

static const char *const names[] = { NAMES };
static void *real[sizeof names / sizeof names[0]];
static long calls;
static __thread int is_inside __attribute__((tls_model("initial-exec")));

long noise_count(void);
void *noise(int number) __attribute__((visibility("hidden")));

long noise_count(void)
{
    return __atomic_load_n(&calls, __ATOMIC_SEQ_CST);
}

void *noise(int number)
{
    if (!is_inside) {
        is_inside = 1;
        free(malloc(24));
        __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
        is_inside = 0;
    }
    if (real[number] == NULL)
        real[number] = dlsym(RTLD_NEXT, names[number]);
    return real[number];
}
"""

# One function: call noise(), and jump to its result.
FUNCTION = r"""
__asm__(".globl %(name)s\n.type %(name)s, @function\n%(name)s:\n"
        "pushq %%rdi\npushq %%rsi\npushq %%rdx\npushq %%rcx\n"
        "pushq %%r8\npushq %%r9\npushq %%rax\n"
        "movl $%(number)d, %%edi\ncall noise\nmovq %%rax, %%r11\n"
        "popq %%rax\npopq %%r9\npopq %%r8\npopq %%rcx\n"
        "popq %%rdx\npopq %%rsi\npopq %%rdi\njmp *%%r11\n"
        ".size %(name)s, . - %(name)s\n");
"""


def symbols(path, *options):
    text = watchdog.run(["readelf", "-W", "--dyn-syms", *options, path])
    assert text.status == 0, text.stderr.decode()
    for line in text.stdout.decode().splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0][:-1].isdigit():
            yield fields[3], fields[6], fields[7].split("@")[0]


def recorder_of(place):
    build = os.path.dirname(os.path.dirname(place.recorder.tally))
    return os.path.join(build, "lib", "libtally-record.so")


def libcs():
    """Return libc and its loader, as mapped in this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return set(re.findall(r"/\S*/(?:libc\.so\.6|ld-linux\S*)$",
                              maps.read(), re.MULTILINE))


@functools.cache
def names_of(recorder):
    functions = {name for path in libcs()
                 for kind, section, name in symbols(path)
                 if kind in ("FUNC", "IFUNC") and section != "UND"}
    found = list(symbols(recorder))
    wanted = set(USED) | {name for _, section, name in found
                          if section == "UND"}
    own = {name for _, section, name in found if section != "UND"}
    return sorted((wanted & functions) - own - {"dlsym"})


def build(place, name, sources, *options):
    made = place.file(name)
    outcome = subprocess.run(
        [os.environ.get("CC", "cc"), "-O0", "-fno-builtin", "-fPIC", "-pthread",
         "-D_GNU_SOURCE", "-I", os.path.dirname(VICTIM), *options, "-o", made,
         *sources, "-ldl"], stderr=subprocess.PIPE, check=False)
    equal("the compiler's words", "", outcome.stderr.decode())
    return made


def noise_source(place):
    names = names_of(recorder_of(place))
    assert len(names) > 40, names
    text = NOISE.replace("NAMES", ", ".join(f'"{name}"' for name in names))
    for number, name in enumerate(names):
        text += FUNCTION % {"name": name, "number": number}
    path = place.file("noise.c")
    scenario.write_file(path, text)
    return path


def calls(text):
    return {who: int(count) for who, count in
            (line.split() for line in text.decode().splitlines())}


def record(place, name, program, options, environment=None):
    """Return the run, and the allocations of the parent and its child."""
    if "--events" in options:
        options = ("--events=" + place.file(name + ".events"),)
    run = place.recorder.run(program, options, name, environment=environment)
    assert not run.hung, "it hangs"
    equal("status", 0, run.status)
    equal("stderr", b"", run.stderr)
    first, children = (place.recorder.first(name),
                       place.recorder.children(name))
    equal("children", 1, len(children.reports))
    for account in (first, children):
        equal("lost", {}, {name: account.lost(name)
                           for name in account.lost_names()
                           if account.lost(name) and "failed" not in name})
    return run, {"parent": first.total("allocations"),
                 "child": children.total("allocations")}


def compare(place, name, quiet, noisy, options, environment=None):
    plain = watchdog.run(noisy, environment=environment)
    equal("the plain run", (0, b""), (plain.status, plain.stderr))
    expected = calls(plain.stdout)
    assert expected["child"] > 100, expected
    _, without = record(place, name + "-quiet", quiet, options)
    run, found = record(place, name, noisy, options, environment)
    equal("calls", expected, calls(run.stdout))
    # The child's inherited blocks are the parent's.
    equal("allocations", without["parent"] + expected["parent"],
          found["parent"])


def victims(place):
    if platform.machine() != "x86_64":
        raise scenario.Skip("the functions are written for x86-64")
    plugin = place.victim("plugin_one.so")
    return [place.victim("taken_names"), plugin], plugin


def in_the_program(options):
    def step(place):
        quiet, plugin = victims(place)
        noisy = build(place, "noisy", [VICTIM, noise_source(place)],
                      "-rdynamic")
        compare(place, "program", quiet, [noisy, plugin], options)
    return step


def in_a_library(options):
    def step(place):
        quiet, _ = victims(place)
        library = build(place, "noise.so", [noise_source(place)], "-shared")
        compare(place, "library", quiet, quiet, options,
                {"LD_PRELOAD": library})
    return step


def steps():
    for way in in_the_program, in_a_library:
        for mode, options in MODES.items():
            step = way(options)
            step.__name__ = f"{way.__name__}, {mode}"
            yield step


scenario.main(*steps())
