# SPDX-License-Identifier: Apache-2.0
"""Memory that tally diff takes, by the size of its two ledgers.

usage: diff_large.py TALLY

Two ledgers fill the first pages of a directory with stacks, like those of
tally record: counters in one shard, as of one thread, or in all. Most stacks
are in both. The memory of diff is proportional to them: 2 GB at most for two
ledgers of 1.1 GB each, with 2,000,000 stacks.
"""

import array
import mmap
import os
import struct
import subprocess
import sys
import tempfile

PAGE = 4096
SITES, MODULES, TEXT, FRAMES, PEAKS = 1, 2, 3, 7, 8
STACKS, TEMPORARY = 1 << 4, 1 << 6
SHARDS = 11  # with 2 CPUs
SEGMENTS = 1560  # of 128 call sites each
COUNT = SEGMENTS * 128
PLACES = 4001
NEW = COUNT // 10  # stacks of either side that the other has not
APP = b"/nowhere/bin/app"
CODE = 0x555555554000

LARGE, ALLOWED = 2 * 1.1e9, 2e9
BASE = 16e6  # the command and its libraries, without any ledger


class Writer:
    def __init__(self, file):
        self.file, self.end, self.entries = file, 65536, []

    def add(self, kind, index, content, size=0):
        """Add a segment; the room behind its content is a hole."""
        size = (max(size, len(content)) + PAGE - 1) // PAGE * PAGE
        self.entries.append(struct.pack("<IIQQQ", kind, index, self.end, size,
                                        0))
        self.file.seek(self.end)
        self.file.write(content)
        self.end += size
        return self.end - size

    def finish(self, program):
        self.file.truncate(self.end)
        page = b"TALLYLGR" + struct.pack("<HHIQ", 1, 4, 0x01020304, self.end)
        page += struct.pack("<II6I", 1, STACKS | TEMPORARY, SHARDS, 1920,
                            len(self.entries), COUNT - 1, 1, 0)
        page += struct.pack("<IIQQIIQ", 4242, 1, 10 ** 9, 0, 0x100, 1,
                            2 * 10 ** 9)
        page += program + program
        page = page.ljust(136, b"\0") + struct.pack("<4Q", COUNT, 0, COUNT, 1)
        self.file.seek(0)
        self.file.write(page.ljust(PAGE, b"\0") + b"".join(self.entries))


def frames(first):
    """Return frames: two stacks for each call site; each hundred call sites
    share callers."""
    words = array.array("Q", [0, 0])
    for number in range(1, 2 * COUNT):
        parent = number - 1 if number % 2 else number // 200 * 200
        words.append((parent if parent < number else 0) | 1 << 32)
        words.append(CODE + 16 + (number * 7 + (first if number < 2 * NEW else
                                                0)) % PLACES * 5)
    return words.tobytes()


def sites(segment):
    words = array.array("Q")
    for number in range(128 * segment, 128 * segment + 128):
        words.extend((1 << 32 | (1 if number else 0), CODE + number % 8,
                      0, 0, 0, 0, (2 * number + 1) << 32 if number else 0, 0))
    return words.tobytes()


def write(path, first, shards):
    """Write a ledger of a program whose threads used this many shards."""
    counters = struct.pack("<4Q", 5, 500, 3, 300) * (128 * shards)
    with open(path, "wb") as file:
        writer = Writer(file)
        program = struct.pack("<QII", writer.add(TEXT, 0, APP), len(APP), 0)
        writer.add(MODULES, 0, (bytes(128) + struct.pack(
            "<IIQQQ", 1, 0, CODE, CODE + 0x100000, CODE) + program),
            128 * 128)
        content = frames(first)
        for index in range(len(content) // 65536):
            writer.add(FRAMES, index,
                       content[65536 * index:65536 * (index + 1)])
        for index in range((COUNT + 4095) // 4096):
            writer.add(PEAKS, index, struct.pack("<2Q", 1, 100) * 4096)
        temporary = (SHARDS * 1024 + PAGE - 1) // PAGE * PAGE
        for index in range(SEGMENTS):
            writer.add(SITES, index, sites(index) + counters,
                       128 * 64 + SHARDS * PAGE + temporary)
        writer.finish(program)


def most_of(tally, paths):
    """Return peak resident bytes."""
    with subprocess.Popen([tally, "diff", *paths],
                          stdout=subprocess.PIPE) as diff:
        said = diff.stdout.read()
        _, status, usage = os.wait4(diff.pid, 0)
        diff.returncode = os.waitstatus_to_exitcode(status)
    assert diff.returncode == 0, diff.returncode
    assert b"Growth in bytes by stack" in said, said
    return usage.ru_maxrss * 1024


def resident():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * PAGE


def zero_page_is_shared():
    """Return False if memory that was only read is resident, each page of it:
    some virtual machines' kernels have no shared page of zeros."""
    with mmap.mmap(-1, 16 << 20, mmap.MAP_PRIVATE) as pages:
        before = resident()
        assert sum(pages[::PAGE]) == 0
        return resident() - before < 8 << 20


def main():
    wrong = 0
    shares = zero_page_is_shared()
    with tempfile.TemporaryDirectory(prefix="tally-diff-") as folder:
        paths = [os.path.join(folder, name) for name in ("a", "b")]
        for shards in (1, SHARDS):
            for first, path in enumerate(paths):
                write(path, first * 1000, shards)
            size = sum(os.stat(path).st_size for path in paths)
            most = most_of(sys.argv[1], paths)
            allowed = BASE + size * ALLOWED / LARGE
            if not shares:  # one file's holes are read into memory
                status = os.stat(paths[0])
                allowed += status.st_size - status.st_blocks * 512
            print(f"counters in {shards} of {SHARDS} shards: {size / 1e6:.0f} "
                  f"MB, {most / 1e6:.0f} MB taken, {allowed / 1e6:.0f} allowed")
            wrong += most > allowed
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
