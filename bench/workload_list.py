# SPDX-License-Identifier: Apache-2.0
"""What is measured, in which modes, and what each may cost at most."""

import dataclasses
import os
import subprocess

BENCH = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(BENCH, "workloads")
SYSCTL = "--sysctl=sysctl.vm.mem_profiling="
SMALL = 20  # under callgrind, inputs have a twentieth of the size

PLAIN = "plain"
AGAIN = "plain again"
CALLER = "by caller"
STACKS = "whole stacks"
SAMPLED = "sampled"
OVERHEAD = "--overhead=1%"
OFF = "off"
NEVER = "never"
COMPRESSED = "compressed"

# mode: options of tally record, or None for a run without it
MODES = {
    PLAIN: None,
    AGAIN: None,
    CALLER: ("--stacks=caller",),
    STACKS: ("--stacks=all",),
    SAMPLED: ("--stacks=sampled",),
    OVERHEAD: ("--overhead=1%",),
    OFF: (SYSCTL + "0",),
    NEVER: (SYSCTL + "never",),
    COMPRESSED: (SYSCTL + "1,compressed",),
}
SAMENESS_BOUND = {OFF: 1.04, NEVER: 1.01, SAMPLED: 1.02}
HEAP_FACTOR = {CALLER: 1.25, COMPRESSED: 1.13}
HEAP_MORE_KIB = 4096
PAIR_BOUND_NS = {CALLER: 4.0}
NOISE_BOUND = 1.05  # up to here a clock cannot decide, instructions do

JQ_PROGRAM = """map({metal: .found | sort | join("+"), size: .label | length,
 deep: (.place.depth > 300)}) | group_by(.metal) |
 map({(.[0].metal): map(.size) | add}) | add | length""".replace("\n", "")


@dataclasses.dataclass(frozen=True)
class Workload:
    """One program, with its work and with nothing to do."""
    caller: float | None  # bound of the ratio of user time by caller, and
    stacks: float | None  # of whole stacks; None: there is none
    command: tuple
    idle: tuple
    stdin: str | None = None
    idle_stdin: str | None = None
    environment: dict = dataclasses.field(default_factory=dict)
    client: tuple | None = None  # runs beside it, unrecorded and not counted
    counts: float | None = None  # bound of whole stacks, in instructions
    overhead: float | None = None  # bound of --overhead=1%
    is_counted: bool = True  # callgrind can count it: one process

    def bound_of(self, mode):
        """Of a ratio; what has none by caller has none for the same."""
        if mode == STACKS:
            return self.stacks
        if self.caller is None:
            return None
        return (SAMENESS_BOUND | {CALLER: self.caller}).get(mode)


def compiler(driver, name, level, source):
    program = subprocess.run([driver, f"-print-prog-name={name}"], check=True,
                             stdout=subprocess.PIPE, encoding="utf-8").stdout
    return (program.strip(), "-quiet", level, "-fpreprocessed", source, "-o",
            "/dev/null")


def cc1(source):
    return compiler("gcc", "cc1", "-O2", source)


def workloads(build, inputs, scale):
    """{name: Workload}, its inputs in the folder `inputs`."""
    python = ("/usr/bin/python3", f"{SOURCES}/py.py")
    perl = ("/usr/bin/perl", f"{SOURCES}/pl.pl")
    sqlite = ("/usr/bin/sqlite3", ":memory:")
    xmllint = ("/usr/bin/xmllint", "--noout")
    jq = ("/usr/bin/jq", "-c", JQ_PROGRAM)
    larson = (f"{build}/bench/larson", "2")
    micro = f"{build}/bench/micro"
    return {
        "sqlite": Workload(1.05, 1.15, sqlite, sqlite, f"{inputs}/sqlite.sql",
                           f"{inputs}/nothing.sql"),
        "python": Workload(1.05, 1.15, (*python, str(25_000 // scale)),
                           ("/usr/bin/python3", "-c",
                             "import collections,json"),
                           environment={"PYTHONMALLOC": "malloc",
                                        "PYTHONHASHSEED": "0"}),
        "cc1": Workload(1.05, 1.25, cc1(f"{inputs}/big.i"),
                        cc1(f"{inputs}/nothing.i")),
        "perl": Workload(1.10, 1.15, (*perl, str(150_000 // scale)),
                         ("/usr/bin/perl", "-e", "1"),
                         environment={"PERL_HASH_SEED": "0"}),
        "jq": Workload(1.10, 1.15, (*jq, f"{inputs}/big.json"),
                       ("/usr/bin/jq", "-c", ".", f"{inputs}/nothing.json")),
        "xmllint": Workload(1.15, 1.20, (*xmllint, f"{inputs}/big.xml"),
                            (*xmllint, f"{inputs}/nothing.xml")),
        "larson": Workload(1.40, 1.30, (*larson, str(5_000_000 // scale)),
                           (*larson, "0"), overhead=1.05),
        "micro": Workload(None, None, (micro, str(1_000_000 // scale), "8"),
                          (micro, "0", "8")),
    }


def beside(build):
    """More programs that are recorded by whole stacks alone."""
    expressions = f"{build}/bench/expressions"
    threads = f"{build}/bench/threads"
    more = {
        "expressions": (None, (expressions, "300000"), (expressions, "0")),
        "expressions, frame pointers": (
            None, (f"{expressions}_frame_pointers", "300000"),
            (f"{expressions}_frame_pointers", "0")),
        "node": (None, ("node", f"{SOURCES}/node.js", "80000"),
                 ("node", "-e", "1")),
        "10,000 threads": (1.50, (threads, "10000", "100", "8"),
                           (threads, "0", "0", "1")),
    }
    return {name: Workload(None, *rest, is_counted=False)
            for name, rest in more.items()}


def many_stacks(inputs, scale):
    """Programs with many stacks, or that do little but start, and a server."""
    def openscad(pegs):
        return ("openscad", "-D", f"pegs={pegs}", "-o", "out.stl",
                f"{SOURCES}/model.scad")

    def git(*command):
        return ("git", f"--git-dir={inputs}/history.git", "log", *command)

    def redis(count):
        return {"command": ("redis-server", "--port", "0", "--save", "",
                            "--unixsocket", "redis.sock"),
                "client": (f"{SOURCES}/redis_client", str(count))}

    regex = f"{inputs}/regex.ii"
    nothing = ("true",)
    return {
        "openscad": Workload(None, 2.50, openscad(3), openscad(0),
                             is_counted=False),
        "cc1plus, <regex>": Workload(
            None, 1.20, compiler("g++", "cc1plus", "-O1", regex), nothing,
            is_counted=False),
        "g++ -flto": Workload(
            None, 1.30, ("g++", "-O1", "-flto=1", "-o", "out", regex), nothing,
            is_counted=False),
        "lua": Workload(
            None, None, ("lua5.4", f"{SOURCES}/lua.lua", str(60_000 // scale)),
            ("lua5.4", "-e", ""), counts=1.18),
        "php's start": Workload(None, None, ("php", "-r", ""),
                                ("php", "-r", ""), counts=1.20),
        "lli": Workload(None, None, ("lli", f"{inputs}/module.bc"), nothing,
                        is_counted=False),
        "git log --stat": Workload(None, 1.08, git("--stat"), git("-n1")),
        "redis": Workload(None, None, idle=nothing, overhead=1.015,
                          is_counted=False, **redis(1_000_000)),
    }


def programs(build, inputs, scale):
    """All whole programs."""
    return {**workloads(build, inputs, scale), **beside(build),
            **many_stacks(inputs, scale)}
