#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Read allocinfo texts in the forms in which people keep them.

usage: forms.py CAPTURE...

CAPTURE is a kernel's text. Each form is made of it by a real program, or as a
terminal shows it. Rows must be those of the capture, and each report must say
what was skipped.
"""

import collections
import fractions
import json
import os
import re
import subprocess
import sys

NOTHING = ""
PROMPT = b"root@moria-kvm:~# "
# The example in Linux's documentation.
EXAMPLE = b"""\
    2.8M    22648 fs/kernfs/dir.c:615 func:__kernfs_new_node
    3.8M      953 mm/memory.c:4214 func:alloc_anon_folio
    4.0M     1010 drivers/staging/ctagmod/ctagmod.c:20 [ctagmod] \
func:ctagmod_start
    4.1M        4 net/netfilter/nf_conntrack_core.c:2567 \
func:nf_ct_alloc_hashtable
    6.0M     1532 mm/filemap.c:1919 func:__filemap_get_folio
    8.8M     2785 kernel/fork.c:307 func:alloc_thread_stack_node
     13M      234 block/blk-mq.c:3421 func:blk_mq_alloc_rqs
     14M     3520 mm/mm_init.c:2530 func:alloc_large_system_hash
     15M     3656 mm/readahead.c:247 func:page_cache_ra_unbounded
     55M     4887 mm/slub.c:2259 func:alloc_slab_page
    122M    31168 mm/page_ext.c:270 func:alloc_page_ext
"""
# Its sizes times 2^20, by hand.
EXAMPLE_BYTES = [2936012, 3984588, 4194304, 4299161, 6291456, 9227468, 13631488,
                 14680064, 15728640, 57671680, 127926272]


def pipe(text, command):
    """Return the output of a shell command whose input is the text."""
    return subprocess.run(["/bin/sh", "-c", command], input=text, check=True,
                          stdout=subprocess.PIPE).stdout


def rows_of(text):
    """Return the rows of a kernel's own text, with sizes in bytes."""
    return [(int(found[1]), int(found[2]), found[3].rstrip(b" "))
            for found in re.finditer(rb"^ *(-?\d+) +(\d+) (.*)$", text, re.M)]


def read(text, name="text"):
    """Return rows by tally allocinfo, and the notes without the file."""
    with open(name, "wb") as file:
        file.write(text)
    done = subprocess.run(["tally", "allocinfo", name], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, (done.stderr, text[:200], text[-200:])
    lines = done.stderr.decode().splitlines()
    return rows_of(done.stdout), [
        line.replace(f"tally: {name}: ", "") for line in lines]


def expect(text, rows, *notes):
    """Check rows and notes, also of a report."""
    got, told = read(text)
    assert got == rows, (len(got), len(rows), set(got) ^ set(rows))
    assert told == [note for note in notes if note], (told, notes)
    report = json.loads(subprocess.run(
        ["tally", "report", "--json", "text"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=True).stdout)
    assert sorted(site["bytes_live"] for site in report["sites"]) == \
        sorted(size for size, _, _ in rows)
    assert report["totals"]["leaked_blocks"] == sum(row[1] for row in rows)
    for note in notes:
        assert not note or note in report["allocinfo_notes"], note


def lines_apart(count):
    end = "s" * (count > 1)
    return f"{count} blank line{end}, prompt{end} or byte order mark{end} " \
           "around the rows, skipped"


def try_ends(text):
    """Prompts and blank lines before and behind, and a byte order mark."""
    rows = rows_of(text)
    before = [b"", b"\n", b"   \n\n", PROMPT + b"cat /proc/allocinfo\n",
              b"$ cat /proc/allocinfo\n", b"# sort -g /proc/allocinfo | tail\n",
              b"\x1b[01;32mme@host\x1b[00m:\x1b[34m~\x1b[00m$ ssh x cat y\n",
              b"[root@h /]# cat x\n\n", b"host% cat x\n",
              b"PS C:\\> adb shell\n", b"```\n$ cat x\n"]
    behind = [b"", b"\n", b"\n \n\n", PROMPT, PROMPT + b"exit\n", b"$",
              b"\n[root@h /]# ", b"sh-5.2# exit\n\n", b"```\n"]
    for start in before:
        for end in behind:
            count = len(start.splitlines()) + len(end.splitlines())
            expect(start + text + end, rows,
                   lines_apart(count) if count else NOTHING)
    expect(b"\xef\xbb\xbf" + text, rows, lines_apart(1))
    expect(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n") + b"\r\n\r\n", rows,
           lines_apart(3))
    expect(b"\r\n" + text.replace(b"\n", b"\r\n") + PROMPT, rows,
           lines_apart(2))


def try_grep(name, text):
    """What grep writes before each row, and its lines of context."""
    rows = rows_of(text)
    prefixes = f"{len(rows):,} prefixes of grep, skipped"
    for words in "-H func", "-n func", "-Hn func", "-bHn func", "-Hn ''":
        expect(pipe(b"", f"grep {words} {name}"), rows, prefixes)
    got = pipe(text, "sed 's/^ *//' | grep -n func | tail -n 7")
    expect(got, rows[-7:], "7 prefixes of grep, skipped")
    found = [row for row in rows if b"mm/slub.c" in row[2]]
    expect(pipe(text, "grep mm/slub.c"), found)
    for options in "", "-n ":
        got, notes = read(pipe(text, f"grep -C 1 {options}mm/slub.c"))
        assert len(got) > len(found) and set(found) <= set(got) <= set(rows)
        assert bool(notes) == bool(options)


def try_cut(text):
    """A text cut at every byte of its first rows has the rest and the note."""
    lines = text.splitlines(keepends=True)[2:]
    start = max(range(len(lines) - 9),
                key=lambda i: (b"[" in lines[i], len(lines[i].split()[0])))
    lines = lines[start:start + 9]
    part = b"".join(lines)
    rows = rows_of(part)
    for at in range(1, len(lines[0])):
        rest = lines[0][at:]
        numbers = re.match(rb" *(-?\d+) +(\d+) \S", rest)
        if numbers is None:
            expect(part[at:], rows[1:], lines_apart(1) if not rest.strip()
                   else "the first line is truncated and was left out")
            continue
        row = int(numbers[1]), int(numbers[2]), rows[0][2]
        assert row == rows[0] or not rest.startswith(b" ")
        expect(part[at:], [row] + rows[1:], NOTHING if rest.startswith(b" ")
               else "the first row is not padded as the next: if the text was "
               "cut there, its size lacks digits")
    for at in range(1, len(lines[0])):
        got, notes = read(part[at:-1].replace(b" \n", b"\n"))
        assert got[1:] == rows[1:] or got == rows[1:], at
        assert notes, at


def rounded_bytes(word):
    """Return the bytes of a size by numfmt, and those of its last digit."""
    found = re.fullmatch(rb"(-?)([\d.]+)([KMGTPE]?)i?B?", word)
    digits = found[2].decode()
    unit = 1024 ** b" KMGTPE".index(found[3] or b" ")
    size = int(fractions.Fraction(digits) * unit)
    last = 0 if unit == 1 else unit / 10 ** len(digits.partition(".")[2])
    return -size if found[1] else size, last


def try_numfmt(text):
    """Rounded sizes are read as they are, and the note has their error."""
    exact = {row[2]: row for row in rows_of(text)}
    for command in "sort -g | tail | numfmt --to=iec", \
            "sort -g | tail -n 300 | numfmt --to=iec", \
            "sort -g | tail -n 100 | numfmt --to=iec-i", \
            "sort -g | tail -n 100 | numfmt --to=iec --suffix=B", \
            "sort -g | tail -n 100 | numfmt --to=iec-i --suffix=B", \
            "sort -g | tail -n 100 | numfmt --to=iec --round=nearest", \
            "sort -g | tail -n 100 | numfmt --to=iec --format=%.2f", \
            "numfmt --header=2 --to=iec", \
            "numfmt --header=2 --to=iec --suffix=B", \
            "numfmt --header=2 --to=iec | grep -n ''":
        output = pipe(text, command)
        words = [(*rounded_bytes(found[1]), int(found[2]), found[3].rstrip())
                 for found in re.finditer(
                     rb"^(?:\d+:)? *(-?[\d.]+[KMGTPE]?i?B?) +(\d+) (.*)$",
                     output, re.M)]
        assert len(words) >= 10, command
        got, notes = read(output)
        assert got == [(word[0], *word[2:]) for word in words], command
        told = re.search(r"^(\S+) rounded sizes \(K is 1,024 bytes\): sum "
                         r"\+- (\S+) bytes$", "\n".join(notes), re.M)
        count, error = (int(word.replace(",", "")) for word in told.groups())
        assert count == sum(word[1] > 0 for word in words), command
        assert abs(error - sum(word[1] for word in words)) <= count, command
        names = collections.Counter(row[2] for row in rows_of(text))
        alone = [row for row in got if names[row[2]] == 1]
        off = sum(row[0] - exact[row[2]][0] for row in alone)
        assert 0 < abs(off) <= error, (command, off, error)


def try_example():
    """The documentation's own example, as it stands there."""
    plain = re.sub(rb"^ *\S+", lambda found: b"%12d" % rounded_bytes(
        found[0].split()[0])[0], EXAMPLE, flags=re.M)
    rows = rows_of(plain)
    assert [row[0] for row in rows] == EXAMPLE_BYTES
    # Six sizes have a digit behind the point, a tenth of 2^20.
    note = "11 rounded sizes (K is 1,024 bytes): sum +- 5,872,017 bytes"
    expect(EXAMPLE, rows, note)
    transcript = PROMPT + b"sort -g /proc/allocinfo|tail|numfmt --to=iec\n" + \
        EXAMPLE + PROMPT
    expect(transcript, rows, lines_apart(2), note)
    expect(re.sub(rb"^", b"  ", transcript, flags=re.M), rows, lines_apart(2),
           note)
    expect(EXAMPLE.replace(b".", b",").replace(b",c:", b".c:"), rows, note)
    assert b"rounded sizes)\n" in pipe(EXAMPLE, "tally report -")
    assert b"rounded sizes\n" in pipe(EXAMPLE, "tally top -n 1 -")


def main():
    try_example()
    for path in sys.argv[1:]:
        name = os.path.basename(path)
        with open(path, "rb") as file:
            text = file.read()
        with open(name, "wb") as file:
            file.write(text)
        expect(text, rows_of(text))
        try_ends(text)
        try_grep(name, text)
        try_cut(text)
        try_numfmt(text)


if __name__ == "__main__":
    main()
