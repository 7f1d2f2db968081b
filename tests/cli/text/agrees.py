#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random texts, and their figures by an independent reader.

usage: agrees.py WHAT...

Each WHAT is a function below. The reader shares no code with tally and uses
unlimited integers: it refuses values beyond 64 bits.
"""

import random
import re
import subprocess
import sys

from harness import stack_tables

TEXTS, ROWS = 25, 40
TOLD = [0, 0]  # texts that fit, and that do not
LONG = "directory/" * 8
FILES = ["a.c", "mm/b.c", "x/../y.c", "dir:1/a.c", 'q"uo\\te.c', "<b>&.c",
         "semi;colon.c", "\u00e9.c", LONG + "a.c", "other/" + LONG + "a.c"]
FUNCTIONS = ["f", "g", "operator()", "a<b>", "\u00fc", "[m]", "func:f", LONG]
MODULES = ["", "", "[m] ", "[ext4] ", "[a[b]] "]
PAIRS = ["accurate:no", "accurate:yes", "nid0:7", "k:", "x:y:z", "::",
         "total_calls:99999999999999999999", "unloaded:yes", "peak_seen:4"]
ROW = re.compile(r"^ *(-?\d+) +(\d+) (\S+):(\d+) (?:\[(\S+)\] )?"
                 r"func:(\S+)((?: \S+)*) $")


def signed(value):
    return (value + 2**63) % 2**64 - 2**63


def write(name, seed, largest=2**55):
    """Return a text, and its rows as (bytes, calls, place, is accurate)."""
    chance = random.Random(seed)
    version = chance.choice("12")
    lines = [f"allocinfo - version: {version}.0",
             "#     <size>  <calls> <tag info>"]
    for _ in range(ROWS):
        size = chance.choice([0, 1, largest, -largest - 1,
                              chance.randrange(9999),
                              -chance.randrange(10**9)])
        calls = chance.choice([0, 1, 2**64 - 1, 2**64 - largest - 1, largest,
                               2**64 - chance.randrange(1, 10**6)])
        line = chance.choice([0, 1, 7, 2**64 - 1])
        pairs = chance.sample(PAIRS, chance.choice([0, 0, 1, 3]))
        lines.append(f"{size:12} {calls:8} {chance.choice(FILES)}:{line} "
                     f"{chance.choice(MODULES)}func:{chance.choice(FUNCTIONS)} "
                     + "".join(f"{pair} " for pair in pairs
                               if version == "2"))
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return rows_of("\n".join(lines) + "\n")


def rows_of(text):
    rows = []
    for line in text.split("\n")[2:-1]:
        found = ROW.match(line)
        rows.append((int(found[1]), signed(int(found[2])),
                     (found[3], int(found[4]), found[5] or "", found[6]),
                     "accurate:no" not in found[7].split()))
    return rows


def by_place(rows):
    places = {}
    for size, calls, place, is_accurate in rows:
        held = places.get(place, (0, 0, True))
        places[place] = (held[0] + size, held[1] + calls,
                         held[2] and is_accurate)
    return places


def tally(*arguments):
    return subprocess.run(["tally", *arguments], check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def place_of(frame):
    return (frame["file"], frame["line"], frame["module"] or "",
            frame["function"])


def report(seed):
    rows = write("a.txt", seed)
    told = stack_tables.loads(tally("report", "--json", "a.txt"))
    assert told["totals"]["leaked_bytes"] == sum(r[0] for r in rows)
    assert told["totals"]["leaked_blocks"] == sum(r[1] for r in rows)
    assert sorted(rows) == sorted(
        (site["bytes_live"], site["blocks_live"], place_of(site["stack"][0]),
         site["accurate"]) for site in told["sites"])


def sums(seed):
    places = by_place(write("a.txt", seed))
    rows = rows_of(tally("allocinfo", "--sum", "--format=2.0", "a.txt"))
    assert list(places) == [row[2] for row in rows]
    assert places == {row[2]: (row[0], row[1], row[3]) for row in rows}
    told = stack_tables.loads(
        tally("report", "--sum", "--json", "a.txt"))["sites"]
    assert places == {place_of(site["stack"][0]):
                      (site["bytes_live"], site["blocks_live"],
                       site["accurate"]) for site in told}


def pairs_of(before, after):
    """Return pairs of lines of one function to compare."""
    if len(before) == len(after) and len(
            {new - old for old, new in zip(before, after)}) == 1:
        return [([old], [new]) for old, new in zip(before, after)]
    same = set(before) & set(after)
    before = [line for line in before if line not in same]
    after = [line for line in after if line not in same]
    pairs = [([line], [line]) for line in same]
    if len(before) == len(after):
        return pairs + [([old], [new]) for old, new in zip(before, after)]
    if before and after:
        return pairs + [(before, after)]
    return pairs + [([line], []) for line in before] + [([], [line])
                                                        for line in after]


def diff(seed):
    sides = [by_place(write("a.txt", seed)), by_place(write("b.txt", seed + 9))]
    functions = {(file, module, function)
                 for file, _, module, function in sides[0] | sides[1]}
    expected = []
    for file, module, function in functions:
        lines = [sorted(place[1] for place in side
                        if (place[0], *place[2:]) == (file, module, function))
                 for side in sides]
        for pair in pairs_of(*lines):
            held = [[sum(side[file, line, module, function][i]
                         for line in numbers) for i in (0, 1)]
                    for side, numbers in zip(sides, pair)]
            expected.append(((file, (pair[1] + pair[0])[0], module, function),
                             pair[0][0] if pair[0] else None,
                             len(pair[0]), len(pair[1]),
                             held[1][0] - held[0][0],
                             held[1][1] - held[0][1]))
    expected.sort(key=lambda row: (-abs(row[4]), -row[4], -abs(row[5]), -row[5],
                                   row[0][0].encode(), row[0][1],
                                   row[0][3].encode(), row[0][2].encode()))
    told = stack_tables.loads(
        tally("diff", "--json", "a.txt", "b.txt"))["rows"]
    assert expected == [
        (place_of(row), row["line_before"], row["lines_before"],
         row["lines_after"], row["bytes_growth"], row["blocks_growth"])
        for row in told]


def folded(seed):
    places = by_place(write("a.txt", seed))
    lines = tally("export", "--to", "folded", "a.txt").splitlines()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in lines) == sum(
        max(0, size) for size, _, _ in places.values())


def svg(seed):
    places = by_place(write("a.txt", seed))
    held = sum(max(0, size) for size, _, _ in places.values())
    assert f"<title>all\n{held:,} bytes " in tally("export", "--to", "svg",
                                                   "a.txt")


def top(seed):
    rows = write("a.txt", seed)
    lines = tally("top", "-n", "1", "-r", str(ROWS), "a.txt").splitlines()[5:]
    numbers = [tuple(int(word.replace(",", "")) for word in line.split()[:2])
               for line in lines]
    assert sorted(numbers) == sorted(row[:2] for row in rows)
    live = [size for size, _ in numbers]
    assert [float(size) for size in live] == sorted(map(float, live),
                                                    reverse=True)


def limits(seed):
    """Test numbers so large that sums overflow from some line on."""
    rows = write("a.txt", seed, largest=2**63 // (1 + 2 * (seed % 12)) - 1)
    sums = [[0, 0], [0, 0]]
    reason = ""
    for number, row in enumerate(rows, start=3):
        for i in (0, 1):
            sums[i][row[i] < 0] += row[i]
        if any(most >= 2**63 or least < -2**63 for most, least in sums):
            reason = f"at line {number};"
            break
    for command in ("report", "report --json", "allocinfo --sum", "top -n 1",
                    "export --to folded", "export --to pprof"):
        done = subprocess.run(["tally", *command.split(), "a.txt"],
                              capture_output=True, check=False)
        assert done.returncode == (2 if reason else 0), command
        assert reason in done.stderr.decode(), command
    TOLD[bool(reason)] += 1


def last(name):
    """Return the end of a name that Linux keeps if it is too long."""
    return name.encode()[-63:]


def filters(seed):
    rows = write("a.txt", seed)
    size, _, (file, line, module, function), _ = rows[seed % ROWS]
    for option, is_wanted in (
            (f"--file={file}", lambda row: last(row[2][0]) == last(file)),
            (f"--line={line}", lambda row: row[2][1] == line),
            (f"--module={module}", lambda row: row[2][2] == module),
            (f"--function={function}",
             lambda row: last(row[2][3]) == last(function)),
            (f"--min-size={size % 2**64}",
             lambda row: row[0] % 2**64 >= size % 2**64),
            (f"--max-size={size % 2**64}",
             lambda row: row[0] % 2**64 <= size % 2**64),
            ("--inaccurate", lambda row: not row[3])):
        wanted = [row for row in rows if is_wanted(row)]
        assert rows_of(tally("allocinfo", option, "a.txt")) == wanted, option
        told = stack_tables.loads(tally("report", "--json", option, "a.txt"))
        assert len(told["sites"]) == len(wanted), option


def main():
    for name in sys.argv[1:]:
        for seed in range(TEXTS):
            globals()[name](seed)
        print(f"{name}: {TEXTS} texts agree")
    if "limits" in sys.argv:
        print(f"limits: {TOLD[1]} of them hold too much")


if __name__ == "__main__":
    main()
