# SPDX-License-Identifier: Apache-2.0
"""mmap memory of a compiler, an interpreter and two virtual machines has whole
stacks, and with the heap it equals the kernel's figures.

The kernel's figure is the peak of anonymous memory and the break after each
call, by strace in the same run. Tally's is the peak of blocks and mappings
together. The kernel counts pages, and the break does not shrink, so the
allocator overhead is a constant difference; reserved memory counts too. Both
leave out thread stacks, variables of loaded files, and the recorder's own
memory, which it keeps out of core dumps.
"""

import os
import re
import shutil

from harness import recording, scenario, stack_tables, watchdog
from harness.scenario import equal

SOURCE = """
#include <iostream>
#include <map>
#include <regex>
std::map<std::string, int> words;
int main() { std::cout << words.size(); }
"""
# A signal or _exit ends them while they hold the peak.
OBJECTS = "import os; a = [str(i) * 3 for i in range(600000)]; os._exit(0)"
STRINGS = "const a = []; for (let i = 0; i < 200000; i++) a.push('x' + i); " \
    "process.kill(process.pid, 'SIGKILL')"
# Threads have no arenas of their own, which are far larger than their blocks.
ONE_ARENA = {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1"}


def whole_pages(size):
    return -(-int(size, 0) // 4096) * 4096


class Kernel:
    """Return mapped bytes by kind, as strace saw them."""

    def __init__(self, path):
        self.pieces = {}  # start: (end, kind)
        self.breaks = []
        self.most = 0
        calls = []
        begun = {}
        for line in scenario.read_file(path).splitlines():
            pid, call = line.split(None, 1)
            if call.endswith("<unfinished ...>"):
                begun[pid] = call.removesuffix("<unfinished ...>").rstrip()
                continue
            if call.startswith("<..."):
                call = begun.pop(pid) + call.split(" resumed>", 1)[1]
            found = re.match(r"(\w+)\((.*)\) += (0x[0-9a-f]+|0)\b", call)
            if found:
                calls.append((found[1], found[2].split(", "),
                              int(found[3], 0)))
        own = set(self.own(calls))
        for number, call in enumerate(calls):
            self.follow(*call, number in own)
            self.most = max(self.most, self.asked_for())
        self.pid = int(scenario.read_file(path).split(None, 1)[0])

    @staticmethod
    def own(calls):
        """Yield mappings of which a part leaves core dumps later; a mapping
        laid over another takes that along."""
        made = []
        for number, (call, words, result) in enumerate(calls):
            if call == "mmap":
                made.insert(0, (number, result,
                                result + whole_pages(words[1]), words[3]))
            elif call == "madvise" and words[2] == "MADV_DONTDUMP":
                at = int(words[0], 0)
                for before, start, end, flags in made:
                    if start <= at < end:
                        yield before
                        if "MAP_FIXED" not in flags:
                            break

    def follow(self, call, words, result, is_own):
        if call == "brk":
            self.breaks.append(result)
        elif call == "mmap":
            kind = "own" if is_own else self.kind(words[3], result)
            self.put(result, whole_pages(words[1]), kind)
        elif call == "munmap":
            self.put(int(words[0], 0), whole_pages(words[1]), None)
        elif call == "mremap":
            kind = self.kind_at(int(words[0], 0))
            self.put(int(words[0], 0), whole_pages(words[1]), None)
            self.put(result, whole_pages(words[2]), kind)

    def kind(self, flags, start):
        if "MAP_ANONYMOUS" not in flags or \
                ("MAP_FIXED" in flags and self.kind_at(start) == "file"):
            return "file"
        return "stack" if "MAP_STACK" in flags else "asked"

    def kind_at(self, address):
        return next((kind for start, (end, kind) in self.pieces.items()
                     if start <= address < end), None)

    def put(self, start, size, kind):
        for piece, (end, other) in list(self.pieces.items()):
            if piece < start + size and end > start:
                del self.pieces[piece]
                if piece < start:
                    self.pieces[piece] = start, other
                if end > start + size:
                    self.pieces[start + size] = end, other
        if kind is not None:
            self.pieces[start] = start + size, kind

    def asked_for(self):
        heap = self.breaks[-1] - self.breaks[0] if self.breaks else 0
        return heap + sum(
            end - start for start, (end, kind) in self.pieces.items()
            if kind == "asked")


def report(place, file, *options):
    outcome = watchdog.run([place.recorder.tally, "report", "--json", *options,
                            file])
    equal(f"status, {outcome.stderr}", 0, outcome.status)
    return stack_tables.loads(outcome.stdout)


def is_whole(row):
    return not row["truncated"] and recording.is_start(row["stack"][-1])


def check(place, command, innermost, below, status=0):
    """Test both in one run; stacks end in `innermost`, and lead through
    `below`."""
    for name in "strace", command[0]:
        if shutil.which(name) is None:
            raise scenario.Skip(f"no {name}; scripts/install-deps test")
    trace = place.file("trace")
    outcome = place.recorder.run(
        ["strace", "-f", "--seccomp-bpf", "-e", "trace=memory,brk", "-o",
         trace, *command], environment=ONE_ARENA)
    equal(f"status, {outcome.stderr}", status, outcome.status)
    kernel = Kernel(trace)
    file, = [file for file in place.recorder.child_files()
             if os.path.basename(file).startswith(f"{kernel.pid}-")]
    found = report(place, file)
    maps = found["maps"]
    held = sum(row["bytes_live"] for row in maps)
    peak = found["totals"]["peak_with_maps"]
    print(f"    the kernel {kernel.most}, heap and maps {peak}: "
          f"{100 * peak / kernel.most - 100:+.2f} %; maps at the end {held}")
    assert abs(peak - kernel.most) < kernel.most / 100, (peak, kernel.most)
    equal("who held the heap's", found["totals"]["peak_copied"],
          sum(row["peak_bytes"] for row in found["sites"]))
    equal("who held the maps'", found["totals"]["peak_of_maps"],
          sum(row["peak_bytes"] for row in maps))
    assert found["totals"]["peak_copied"] + \
        found["totals"]["peak_uncertainty"] > \
        0.99 * found["totals"]["peak_bytes"], found["totals"]
    whole = sum(row["bytes_live"] for row in maps if is_whole(row))
    assert whole > 0.99 * held, (whole, held)
    largest = max(maps, key=lambda row: row["bytes_live"])["stack"]
    names = [frame["function"] or "" for frame in largest]
    assert names[0].startswith(innermost), names
    assert any(name.startswith(below) for name in names), names
    return file, held


def cc1plus(place):
    scenario.write_file(place.file("a.cpp"), SOURCE)
    watchdog.run(["g++", "-E", "a.cpp", "-o", "a.ii"], folder=place.folder)
    compiler = watchdog.run(["g++", "-print-prog-name=cc1plus"])
    check(place, [compiler.stdout.decode().strip(), "-quiet", "-fpreprocessed",
                  place.file("a.ii"), "-o", place.file("a.s")],
          "ggc_internal_alloc(", "main")


def python3(place):
    file, held = check(place, ["/usr/bin/python3", "-c", OBJECTS], "",
                       "_PyEval_EvalFrameDefault")
    folded = watchdog.run([place.recorder.tally, "export", "--to=folded",
                           file]).stdout.decode().splitlines()
    drawn = [line for line in folded if ";[anonymous map] " in line]
    equal("in flame graphs", held,
          sum(int(line.rsplit(" ", 1)[1]) for line in drawn))
    equal("from the start", [], [line for line in drawn
                                 if not line.startswith("_start;")])


def node(place):
    check(place, ["node", "-e", STRINGS], "v8::base::OS::Allocate(",
          "node::", status=-9)


def java(place):
    check(place, ["java", "-Xmx48m", "-XX:+UseSerialGC",
                  "-XX:CompressedClassSpaceSize=16m",
                  "-XX:ReservedCodeCacheSize=16m", "-version"], "os::",
          "Threads::create_vm")


scenario.main(cc1plus, python3, node, java)
