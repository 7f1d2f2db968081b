#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Write a ledger for the cases, by docs/ledger-format.md and nothing else.

usage: make_ledger.py FILE SCENARIO [--poke OFFSET=HEX]... [--cut SIZE]

It shares no code with the recorder or the reader, so that document, writer and
reader check one another. The files of its modules do not exist, so reports do
not depend on the machine. This file is long because each kind of ledger has a
scenario.
"""

import argparse
import struct

PAGE = 4096
SITES, MODULES, TEXT, NOTICES, TIMELINE, REGIONS = 1, 2, 3, 4, 5, 6
FRAMES, PEAKS, SIZES, LIFETIMES = 7, 8, 9, 10
RESIDENCY, HISTORY = 12, 13
HEAP, MAP, FILE, STACK = 1, 2, 3, 4
LOADED, UNLOADED = 1, 2
FORKED, STACKS, SAMPLED, TEMPORARY = 1 << 2, 1 << 4, 1 << 5, 1 << 6
CUT = 2**32 - 1

COUNTS = ["failed_allocations", "unseen_frees", "foreign_frees",
          "lost_allocations", "lost_frees", "lost_sites", "lost_modules",
          "lost_maps", "raw_map_calls", "lost_notices", "unrecorded_forks",
          "truncated_stacks", "lost_events", "lost_stacks",
          "unrecorded_images", "left_running", "lost_labels"]
CHILD_STATIC, DEEPBIND, REFERENCES_EXHAUSTED = 1, 5, 6


class Ledger:
    def __init__(self, shards=2, **header):
        self.shards = shards
        self.header = {"minor": 4, "ended": 1, "flags": 0, "pid": 4242,
                       "counts": {},
                       "peak": (0, 0, 0, 0), "maps": (0, 0, 0),
                       "resident": b"", "samples": (0, 0),
                       "program": "/nowhere/bin/app",
                       "command_line": "app\0--fast\0input"}
        self.header.update(header)
        self.entries = []
        self.segments = b""
        self.modules, self.sites, self.notices = [b""], [b""], [b""]
        self.counters = [[] for _ in range(shards)]
        self.samples = {}
        self.frames, self.peaks, self.temporary = [b""], {}, {}
        self.lifetimes = {}

    def add_segment(self, kind, index, content):
        content += bytes(-len(content) % PAGE)
        offset = 65536 + len(self.segments)
        self.entries.append(struct.pack("<IIQQQ", kind, index, offset,
                                        len(content), 0))
        self.segments += content
        return offset

    def text(self, text):
        content = text.encode("utf-8", "surrogateescape")
        if not content:
            return bytes(16)
        offset = self.add_segment(TEXT, len(self.entries), content)
        return struct.pack("<QII", offset, len(content), 0)

    def module(self, path, bias, build_id=b"", state=LOADED):
        self.modules.append(
            struct.pack("<IIQQQ", state, len(build_id), bias,
                        bias + 0x100000, bias) + self.text(path) + build_id)
        return len(self.modules) - 1

    def pair(self, text):
        """Add a pair of a label, in place of a module."""
        number = self.module(text, 0, state=UNLOADED)
        self.modules[number] = self.modules[number][:8] + bytes(24) + \
            self.modules[number][32:48] + bytes(20) + struct.pack("<I", 1)
        return number

    def site(self, kind, module, address, allocated, freed, inherited=(0, 0),
             peak=0, frame=0):
        """Add a call site: allocations in the first shard, frees in the
        last."""
        self.sites.append(struct.pack("<IIQQQ20xIQ", kind, module, address,
                                      *inherited, frame, peak))
        number = len(self.sites) - 1
        for shard in range(self.shards):
            values = (allocated if shard == 0 else (0, 0)) + \
                (freed if shard == self.shards - 1 else (0, 0))
            self.counters[shard].append((number, struct.pack("<4Q", *values)))
        return number

    def tag(self, place, line, allocated, freed):
        """Add a call site named by the source: FILE, FUNCTION and MODULE."""
        number = self.site(HEAP, 0, 0x1000 + line, allocated, freed)
        self.sites[number] = self.sites[number][:32] + self.text(
            "\0".join(place)) + struct.pack("<I", line) + \
            self.sites[number][52:]
        return number

    def frame(self, parent, module, address):
        self.header["flags"] |= STACKS
        self.frames.append(struct.pack("<IIQ", parent, module, address))
        return len(self.frames) - 1

    def stack(self, *calls):
        """Add the frames of a stack, outermost call first; return the
        innermost."""
        parent = 0
        for call in calls:
            parent = CUT if call is CUT else self.frame(parent, *call)
        return parent

    def sampled(self, module, address, frame, classes, live, young=0,
                promoted=0):
        """Add a call site whose blocks of 100 bytes were sampled, with counts
        by lifetime; `young` of them were small and `promoted` of those
        outlived an epoch."""
        interval = self.header["samples"][0]
        chance = 1 - (1 - 1 / interval) ** 100 if interval > 1 else 1
        blocks = round(1 / chance)
        freed = sum(classes)

        def amounts(samples):
            return (samples * blocks, samples * blocks * 100)

        def estimate(samples):
            variance = samples * (1 - chance) / chance ** 2
            return struct.pack("<4Q2d", samples, *amounts(samples),
                               blocks if samples else 0, variance,
                               variance * 10000)
        number = self.site(HEAP, module, address, amounts(freed + live),
                           amounts(freed), frame=frame)
        self.lifetimes[number] = b"".join(
            estimate(samples) for samples in
            [freed + live, young, promoted, *classes,
             *[0] * (13 - len(classes))])
        return number

    def notice(self, code, times, text):
        self.notices.append(struct.pack("<II", code, times) + self.text(text))

    def sample(self, slot, *values):
        """Add a data point: time, live bytes, live blocks, bytes allocated."""
        self.samples[slot] = struct.pack("<4Q", *values)

    def timeline(self):
        return b"".join(self.samples.get(slot, bytes(32))
                        for slot in range(1024))

    def history(self, instants, left_out=0):
        """Add a history of (seconds, live bytes, {site: four counters that
        grew})."""
        def number(value):
            low = bytes([value & 0x7f | (0x80 if value > 0x7f else 0)])
            return low + (number(value >> 7) if value > 0x7f else b"")
        heads, runs = b"", b""
        for seconds, live, changes in instants:
            before = 0
            for site, grown in sorted(changes.items()):
                runs += number(site - before) + b"".join(map(number, grown))
                before = site
            heads += struct.pack("<4Q", int(seconds * 1e9), live, len(runs),
                                 2 * live)
        self.add_segment(HISTORY, 0, struct.pack(
            "<IIQ", len(instants), 0, left_out) + heads + runs)

    def temporary_pages(self):
        """Return pages of temporary blocks: half of them, rounded down, in the
        first shard."""
        if not self.temporary:
            return b""
        self.header["flags"] |= TEMPORARY
        counts = bytearray(self.shards * 1024)
        for number, blocks in self.temporary.items():
            shares = (blocks // 2, blocks - blocks // 2)
            for shard, share in enumerate(shares):
                struct.pack_into("<Q", counts, 1024 * shard + 8 * number, share)
        return bytes(counts).ljust(-len(counts) % PAGE + len(counts), b"\0")

    def add_stacks(self):
        if len(self.frames) > 1:
            self.add_segment(FRAMES, 0, b"".join(
                frame.ljust(16, b"\0") for frame in self.frames).ljust(65536,
                                                                       b"\0"))
        if self.peaks:
            self.add_segment(PEAKS, 0, b"".join(
                struct.pack("<2Q", *self.peaks.get(number, (0, 0)))
                for number in range(4096)))
        if self.lifetimes:
            self.add_segment(LIFETIMES, 0, b"".join(
                self.lifetimes.get(number, bytes(768))
                for number in range(128)))

    @staticmethod
    def slots(entries, size):
        return b"".join(entry.ljust(size, b"\0") for entry in entries).ljust(
            128 * size, b"\0")

    def counter_page(self, shard):
        page = bytearray(PAGE)
        for number, counter in self.counters[shard]:
            page[32 * number:32 * number + 32] = counter
        return bytes(page)

    def to_bytes(self):
        header = self.header
        program = self.text(header["program"])
        command_line = self.text(header["command_line"])
        self.add_segment(MODULES, 0, self.slots(self.modules, 128))
        self.add_segment(SITES, 0, self.slots(self.sites, 64) + b"".join(
            self.counter_page(shard) for shard in range(self.shards)) +
            self.temporary_pages())
        self.add_segment(NOTICES, 0, self.slots(self.notices, 32))
        if self.samples:
            self.add_segment(TIMELINE, 0, self.timeline())
        self.add_stacks()

        page = b"TALLYLGR" + struct.pack("<HHI", 1, header["minor"], 0x01020304)
        page += struct.pack("<Q", 65536 + len(self.segments))
        page += struct.pack("<II", 1, header["flags"])
        page += struct.pack("<6I", self.shards, 1920, len(self.entries),
                            len(self.sites) - 1, len(self.modules) - 1,
                            len(self.notices) - 1)
        page += struct.pack("<IIQQ", header["pid"], 1, 1_000_000_000, 0)
        page += struct.pack("<IIQ", 0x000100, header["ended"],
                            2_000_000_000 * header["ended"])
        page += program + command_line
        page = page.ljust(132, b"\0") + struct.pack(
            "<I4Q", header["maps"][0], *header["peak"])
        page = page.ljust(176, b"\0") + struct.pack("<2Q", *header["samples"])
        page = page.ljust(256, b"\0") + struct.pack("<2Q", *header["maps"][1:])
        page = page.ljust(512, b"\0")
        for name in COUNTS:
            page += struct.pack("<Q", header["counts"].get(name, 0))
        page = page.ljust(3840, b"\0") + header["resident"]
        directory = b"".join(self.entries)
        return (page.ljust(PAGE, b"\0") + directory).ljust(65536, b"\0") + \
            self.segments


def plain():
    ledger = Ledger()
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    library = ledger.module("/nowhere/lib/libspace me.so.1", 0x7ffff7000000)
    ledger.site(HEAP, app, 0x555555555139, (10, 1000), (4, 400))
    ledger.site(HEAP, app, 0x555555555200, (3, 6000000), (3, 6000000))
    ledger.site(HEAP, library, 0x7ffff7001234, (7, 70), (1, 10))
    ledger.site(HEAP, 0, 0x7fff00001000, (1, 5), (0, 0))
    ledger.site(HEAP, app, 0x555555555139, (1, 24), (0, 0))
    ledger.site(MAP, app, 0x555555555300, (2, 8192), (1, 4096))
    return ledger


def other():
    """Another image of the same program, at other addresses."""
    ledger = Ledger(shards=1, pid=4300)
    app = ledger.module("/nowhere/bin/app", 0x600000000000, b"\1\2\3")
    ledger.site(HEAP, app, 0x600000001139, (1, 1), (0, 0))
    return ledger


def forked():
    ledger = Ledger(flags=FORKED)
    app = ledger.module("/nowhere/bin/app", 0x1000)
    ledger.site(HEAP, app, 0x2000, (1, 10), (2, 60), inherited=(5, 500))
    return ledger


def running():
    """A ledger read while it changes: a free whose allocation is missing."""
    ledger = Ledger(ended=0)
    ledger.site(HEAP, 0, 0x1000, (1, 10), (2, 30))
    ledger.site(HEAP, 0, 0x2000, (9, 90), (0, 0))
    return ledger


def negative():
    """The ledger of running() after all changes."""
    ledger = running()
    ledger.header["ended"] = 1
    return ledger


def lossy():
    ledger = Ledger(counts={"foreign_frees": 12345, "failed_allocations": 1})
    ledger.notice(CHILD_STATIC, 3, "/bin/\033[1mbusy\udcff")
    ledger.notice(DEEPBIND, 1, "libdeep.so")
    ledger.notice(REFERENCES_EXHAUSTED, 1, "")
    return ledger


def timeline():
    """Data points out of order, with a gap, and one twice."""
    ledger = Ledger()
    ledger.site(HEAP, 0, 0x1000, (3, 300), (2, 200))
    ledger.sample(0, 1_500_000_000, 250, 2, 250)
    ledger.sample(1, 1_900_000_000, 100, 1, 300)
    ledger.sample(7, 1_200_000_000, 50, 1, 50)
    ledger.sample(1023, 1_500_000_000, 250, 2, 250)
    return ledger


def other_timeline():
    """An image that ended before the first one."""
    ledger = Ledger(pid=4300)
    ledger.sample(0, 1_300_000_000, 7, 1, 9)
    return ledger


def peaks():
    """Stacks seen above the end, below it, above the total, and in two ids."""
    ledger = Ledger()
    app = ledger.module("/nowhere/bin/app", 0x1000)
    ledger.site(HEAP, app, 0x2000, (10, 1000), (9, 900), peak=750)
    ledger.site(HEAP, app, 0x2100, (10, 1000), (1, 100), peak=20)
    ledger.site(HEAP, app, 0x2200, (10, 1000), (1, 1000), peak=2**64 - 1)
    ledger.site(HEAP, app, 0x2300, (3, 300), (3, 300), peak=300)
    ledger.site(HEAP, app, 0x2300, (2, 200), (2, 200), peak=100)
    ledger.site(MAP, app, 0x2400, (2, 8192), (2, 8192), peak=4096)
    return ledger


def map_peaks():
    """A heap whose peak came after mappings had gone, with both live
    before."""
    ledger = Ledger(minor=7, peak=(9092, 0, 9092, 0), maps=(1, 4096, 2300))
    app = ledger.module("/nowhere/bin/app", 0x1000)
    for kind, address, allocated, freed, peak in (
            (HEAP, 0x2000, (10, 1000), (9, 900), (9, 900)),
            (HEAP, 0x2100, (3, 2200), (3, 2200), (0, 0)),
            (MAP, 0x2200, (3, 12288), (2, 8192), (2, 8192)),
            (MAP, 0x2300, (1, 4096), (1, 4096), (0, 0)),
            (FILE, 0x2400, (2, 1 << 20), (1, 4096), (0, 0)),
            (STACK, 0x2500, (3, 3 << 20), (1, 1 << 20), (0, 0))):
        site = ledger.site(kind, app, address, allocated, freed)
        ledger.peaks[site] = peak
    return ledger


def reloaded():
    """An unloaded object, and one loaded again at another address."""
    ledger = Ledger()
    app = ledger.module("/nowhere/bin/app", 0x1000)
    gone = ledger.module("/nowhere/lib/gone.so", 0x100000, state=UNLOADED)
    before = ledger.module("/nowhere/lib/back.so", 0x200000, state=UNLOADED)
    after = ledger.module("/nowhere/lib/back.so", 0x300000)
    ledger.site(HEAP, app, 0x2000, (1, 10), (0, 0))
    ledger.site(HEAP, gone, 0x100100, (2, 20), (1, 10))
    ledger.site(HEAP, gone, 0x100200, (2, 20), (2, 20))
    ledger.site(HEAP, before, 0x200100, (3, 30), (1, 10))
    ledger.site(HEAP, before, 0x200200, (3, 30), (2, 20))
    ledger.site(HEAP, after, 0x300100, (4, 40), (1, 10))
    return ledger


def stacks():
    """
    read_file is called by load, from two places, and by check; parse only by
    load. One stack is duplicate, one is truncated, one is a tagged call site.
    """
    ledger = Ledger(peak=(9000, 16, 8990, 1_500_000_000),
                    counts={"truncated_stacks": 1})
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    library = ledger.module("/nowhere/lib/libread.so.1", 0x7ffff7000000)
    main = ledger.frame(0, app, 0x555555555100)
    load = ledger.frame(main, app, 0x555555555200)
    again = ledger.frame(main, app, 0x555555555208)
    check = ledger.frame(main, app, 0x555555555300)
    main_again = ledger.frame(0, app, 0x555555555100)
    load_again = ledger.frame(main_again, app, 0x555555555200)
    cut = ledger.frame(CUT, app, 0x555555555400)
    read_file = 0x7ffff7001234
    rows = [
        (library, read_file, (10, 5000), (4, 2000), load, (8, 4000), 1),
        (library, read_file, (1, 500), (0, 0), load_again, (1, 500), 0),
        (library, read_file, (9, 2700), (9, 2700), again, (4, 1200), 5),
        (library, read_file, (3, 900), (1, 300), check, (0, 0), 0),
        (app, 0x555555555500, (2, 4000), (2, 4000), load, (1, 2890), 0),
        (app, 0x555555555600, (7, 70), (0, 0), cut, (0, 0), 0),
        (app, 0x555555555700, (1, 24), (0, 0), CUT, (0, 0), 0),
    ]
    for module, address, allocated, freed, frame, peak, temporary in rows:
        site = ledger.site(HEAP, module, address, allocated, freed,
                           frame=frame)
        ledger.peaks[site] = peak
        ledger.temporary[site] = temporary
    tag = ledger.tag(("src/pool.c", "pool_grow", ""), 77, (4, 400), (0, 0))
    ledger.peaks[tag] = (4, 400)
    ledger.temporary[tag] = 0
    ledger.site(MAP, app, 0x555555555800, (2, 8192), (1, 4096))
    return ledger


def history():
    """Stacks over time: load grows first, check comes and goes, the fork's
    blocks are freed."""
    ledger = Ledger(minor=7, flags=FORKED)
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    main = ledger.frame(0, app, 0x555555555100)
    load = ledger.frame(main, app, 0x555555555200)
    again = ledger.frame(main, app, 0x555555555200)
    check = ledger.frame(main, app, 0x555555555300)
    ledger.site(HEAP, app, 0x555555555500, (10, 5000), (4, 2000), frame=load)
    ledger.site(HEAP, app, 0x555555555500, (1, 500), (0, 0), frame=again)
    ledger.site(HEAP, app, 0x555555555600, (3, 90000), (3, 90000), frame=check)
    ledger.site(HEAP, app, 0x555555555700, (0, 0), (2, 300),
                inherited=(3, 450))
    ledger.site(MAP, app, 0x555555555800, (2, 8192), (1, 4096))
    ledger.history([
        (1.25, 2450, {1: (4, 2000, 0, 0), 5: (2, 8192, 0, 0)}),
        (1.5, 95150, {1: (6, 3000, 1, 500), 2: (1, 500, 0, 0),
                      3: (3, 90000, 0, 0), 4: (0, 0, 2, 300)}),
        (1.75, 5150, {3: (0, 0, 3, 90000)}),
        (2.0, 3650, {1: (0, 0, 3, 1500), 5: (0, 0, 1, 4096)})], left_out=2)
    return ledger


def lost_module():
    """A stack whose outer frame lies in a file that had no room."""
    ledger = Ledger(counts={"lost_modules": 1})
    app = ledger.module("/nowhere/bin/app", 0x555555554000)
    outer = ledger.frame(0, 0, 0x7ffff7001234)
    ledger.site(HEAP, app, 0x555555555500, (1, 24), (0, 0), frame=outer)
    return ledger


def stacks_later():
    """The program of stacks() later"""
    ledger = Ledger(pid=4300)
    app = ledger.module("/nowhere/bin/app", 0x600000000000, b"\1\2\3")
    library = ledger.module("/nowhere/lib/libread.so.1", 0x7ffff0000000)
    main = ledger.frame(0, app, 0x600000001100)
    load = ledger.frame(main, app, 0x600000001200)
    save = ledger.frame(main, app, 0x600000001900)
    ledger.site(HEAP, library, 0x7ffff0001234, (30, 15000), (4, 2000),
                frame=load)
    ledger.site(HEAP, app, 0x600000001600, (7, 70), (0, 0), frame=save)
    ledger.tag(("src/pool.c", "pool_grow", ""), 79, (4, 400), (0, 0))
    return ledger


def kinds():
    """One call site of each kind, beside a heap block."""
    ledger = Ledger(minor=7)
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    main = ledger.frame(0, app, 0x555555555100)
    for number, kind in enumerate((HEAP, MAP, FILE, STACK), 1):
        ledger.site(kind, app, 0x555555555500 + number, (number, 1000 * number),
                    (0, 0), frame=main)
    return ledger


def labels():
    """Labels: pairs in two orders, a truncated stack, bytes of all kinds."""
    ledger = Ledger(minor=7, counts={"left_running": 2, "lost_labels": 3})
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    tenant = ledger.frame(0, ledger.pair("tenant=a"), 1)
    both = ledger.frame(tenant, ledger.pair("route=/x"), 1)
    route = ledger.frame(0, ledger.pair("route=/x"), 1)
    other_way = ledger.frame(route, ledger.pair("tenant=a"), 1)
    cut = ledger.frame(CUT, ledger.pair("tenant=a"), 1)
    hostile = ledger.frame(0, ledger.pair("k" + HOSTILE + "=v" + HOSTILE), 1)
    bare = ledger.frame(0, ledger.pair("bare"), 1)
    for number, root in enumerate([0, tenant, both, other_way, cut, hostile,
                                   bare], 1):
        main = ledger.frame(root, app, 0x555555555100)
        ledger.site(HEAP, app, 0x555555555500, (number, 100 * number), (0, 0),
                    frame=main)
    return ledger


def resident_at(seconds, *amounts):
    """Resident bytes: heap, mappings, files, stacks, recorder, unexplained,
    live, peak, flags."""
    return struct.pack("<10Q48x", int(seconds * 1e9), *amounts)


def resident():
    """A process with fewer live bytes than before, and no missed mappings."""
    ledger = Ledger(minor=5, resident=resident_at(
        1.75, 9_000_000, 400_000, 3_000_000, 132_000, 700_000, 8_000,
        8_200_000, 40_000_000, 1) + resident_at(
        1.25, 20_000_000, 400_000, 3_000_000, 132_000, 700_000, 0,
        24_000_000, 24_232_000, 1))
    ledger.site(HEAP, 0, 0x1000, (3, 300), (2, 200))
    return ledger


def resident_untouched():
    """More live than resident bytes, with unreadable mappings."""
    ledger = Ledger(minor=5, resident=resident_at(
        1.5, 1_000_000, 0, 2_000_000, 132_000, 300_000, 0, 5_000_000, 0, 0))
    ledger.site(HEAP, 0, 0x1000, (3, 300), (2, 200))
    return ledger


def residency():
    """A snapshot of a running program with a survey of pinned pages."""
    ledger = stacks()
    ledger.header.update(minor=7, ended=0)
    rows = [(65536, 40, 0, 3, 0, 4096, 8192), (81920, 2000, 4096, 7, 0, 0, 0),
            (40960, 1500, 12288, 2, 8192, 0, 0), (4096, 900, 4096, 1, 0, 0, 0)]
    ledger.add_segment(RESIDENCY, 0, b"".join(
        struct.pack("<7Q8x", *row) for row in rows).ljust(4096 * 64, b"\0"))
    return ledger


def sizes():
    """Blocks of 0 bytes, 1, 2 to 3, 16 to 31 in two shards, and of a TiB or
    more."""
    ledger = Ledger()
    ledger.site(HEAP, 0, 0x1000, (1000, 17000), (2, 200))
    words = [[0] * 64, [0] * 64]
    words[0][0], words[0][1], words[0][2] = 1, 2, 7
    words[0][5], words[1][5], words[1][41] = 600, 389, 1
    ledger.add_segment(SIZES, 0, struct.pack("<128Q", *words[0], *words[1]))
    return ledger


def resident_unread():
    ledger = Ledger(minor=5)
    ledger.site(HEAP, 0, 0x1000, (3, 300), (2, 200))
    return ledger


def sampled(interval=524288):
    """Samples: parse has many, load few, and save none."""
    ledger = Ledger(minor=5, flags=SAMPLED, samples=(interval, 60 * interval))
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    main = ledger.frame(0, app, 0x555555555100)
    load = ledger.frame(main, app, 0x555555555200)
    ledger.sampled(app, 0x555555555500, load, [3, 20, 7, 0, 0, 0, 10], live=0,
                   young=40, promoted=10)
    ledger.sampled(app, 0x555555555500, main, [1], live=9, young=10,
                   promoted=4)
    ledger.sampled(app, 0x555555555600, load, [], live=1)
    ledger.tag(("src/pool.c", "pool_grow", ""), 77, (4, 400), (0, 0))
    ledger.site(MAP, app, 0x555555555800, (2, 8192), (1, 4096))
    return ledger


def sampled_later():
    """Samples later: parse has less, load more, check is new and save has
    gone."""
    ledger = Ledger(minor=5, flags=SAMPLED, samples=(262144, 60 * 262144))
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    main = ledger.frame(0, app, 0x555555555100)
    load = ledger.frame(main, app, 0x555555555200)
    ledger.sampled(app, 0x555555555500, load, [3, 10, 2], live=0)
    ledger.sampled(app, 0x555555555500, main, [1], live=90, young=10)
    ledger.sampled(app, 0x555555555700, load, [4], live=30)
    ledger.tag(("src/pool.c", "pool_grow", ""), 77, (9, 900), (2, 200))
    return ledger


def sampled_whole():
    """Samples of each byte: nothing is uncertain."""
    return sampled(1)


# Hostile names: an added line and record, ESC [ in one character, reversed
# text, invalid UTF-8, invisible characters.
HOSTILE = "\n+ 0\r\x1b[2J\u009b2J\u202e\u2066\udcff<&\";'\\\t\u2028" \
    "\u200b\u00ad\U000e0041"


def regions():
    """A named slab, and a released heap."""
    ledger = plain()
    slab = struct.pack("<2IQ", 1, 0, 0x5000) + ledger.text("packets") + \
        struct.pack("<10Q", 2400, 400, 800, 1200, 3, 0, 0, 0, 1, 0)
    heap = struct.pack("<2IQ16x", 2, 1, 0x6000) + \
        struct.pack("<10Q", 4096, 0, 100, 200, 0, 0, 0, 0, 0, 2001)
    records = bytes(128) + slab.ljust(128, b"\0") + heap
    ledger.add_segment(REGIONS, 0, records.ljust(16384, b"\0"))
    return ledger


def leaking():
    """A call site keeps 100 of 1,000 blocks of a mebibyte each."""
    ledger = Ledger()
    app = ledger.module("/nowhere/bin/app", 0x555555554000, b"\1\2\3")
    main = ledger.frame(0, app, 0x555555555100)
    ledger.site(HEAP, app, 0x555555555300, (1000, 1000 << 20),
                (900, 900 << 20), frame=main)
    return ledger


# Profiles of a fleet's store, as a source.
STACK_LINES = """tally stacks 1
image\t/bin/p\t7\t1000\t3000\t1
names\tabcd\t16\t/bin/p\t['in','out']\t['a.c','b.c']\t[3,4]
stack\theap\t['t']\t['w']\t['abcd','/lib/x']\t[16,5]\t2\t200\t5\t500\t3\t300
"""

SCENARIOS = {function.__name__: function for function in
             (plain, other, leaking, forked, running, negative, lossy,
              lost_module, timeline, other_timeline, peaks, map_peaks,
              reloaded, stacks, stacks_later, resident, resident_untouched,
              resident_unread, sampled, sampled_later, sampled_whole,
              residency, history, sizes, regions, kinds, labels)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--poke", action="append", default=[])
    parser.add_argument("--cut", type=int)
    options = parser.parse_args()
    content = bytearray(SCENARIOS[options.scenario]().to_bytes())
    for poke in options.poke:
        offset, value = poke.split("=")
        value = bytes.fromhex(value)
        content[int(offset, 0):int(offset, 0) + len(value)] = value
    with open(options.file, "wb") as file:
        file.write(content[:options.cut])


if __name__ == "__main__":
    main()
