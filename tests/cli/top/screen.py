# SPDX-License-Identifier: Apache-2.0
"""tally top on a terminal: its display, its keys, and the restored
terminal."""

import os
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.environ["CASE_DIR"], ".."))
from terminal import (Terminal, DOWN, END, ENTER, ESCAPE, HOME, PAGE_DOWN, UP)

TALLY = os.environ["TALLY"]
LONG = "a_function_whose_name_is_longer_than_any_column_of_eighty_can_be"
SOURCE = os.path.join(os.environ["CASE_DIR"], "victim.c")


def check(what, is_so, seen=None):
    if not is_so:
        sys.exit(f"not so: {what}: {seen}")
    print(what)


def line_of(text):
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return number
    raise ValueError(text)


def has(*texts):
    return lambda lines: all(text in "\n".join(lines) for text in texts)


def rows_of(lines):
    """Return rows after the titles; rows of another view do not count."""
    titles = [i for i, line in enumerate(lines) if "FUNCTION" in line
              or "REGION" in line]
    return [line for line in lines[titles[0] + 1:] if line] if titles else [""]


def first_row(lines):
    return rows_of(lines)[0]


def sort_by_word(top, word):
    top.type("s")
    top.wait_for("Sort by")
    while top.chosen() != [word]:
        top.type("s")
        before = top.chosen()
        top.wait_until(lambda lines: top.chosen() != before)
    top.type(ENTER)


def sort_by(top, word):
    sort_by_word(top, word)
    top.wait_for(f" by {word}")


def look_at_rows(top):
    lines = top.wait_until(has("holds_most", "sites 1-", "PLACE"))
    check("the first row is chosen",
          "holds_most" in top.chosen()[0] and "120,000" in top.chosen()[0],
          top.chosen())
    place = f"c:{line_of('malloc(60000)')}"
    check("a line is whole", first_row(lines).endswith(place), lines)
    check("all fits", max(map(len, lines)) <= 80, lines)
    top.type(DOWN)
    lines = top.wait_until(lambda lines: LONG in "".join(lines[-3:]))
    check("a long name is cut, and seen whole below", "..." in top.chosen()[0]
          and "20,000" in top.chosen()[0], lines)
    top.type("k")
    top.wait_until(lambda lines: "120,000" in top.chosen()[0])


def look_at_stacks(top):
    top.type(ENTER)
    lines = top.wait_until(has("Stacks of a row", "2 stacks"))
    calls = [line.split()[0] for line in lines if line.startswith("    ")]
    check("stacks are whole", calls.count("holds_most") == 2 and
          "first_caller" in calls and "second_caller" in calls and
          calls.count("main") == 2, lines)
    top.type(ESCAPE)
    top.wait_for("LIVE BYTES")


def look_at_orders(top, program):
    sort_by(top, "blocks")
    top.wait_until(lambda lines: "holds_many" in first_row(lines))
    check("sorts by blocks", True)
    top.type("m")
    top.wait_for("GROWTH")
    program.stdin.write(b"ggg")
    program.stdin.flush()
    program.stdout.read(3)
    sort_by(top, "growth")
    top.wait_until(lambda lines: "+3,000" in first_row(lines) and
                   " grows " in first_row(lines))
    check("growth is since the mark", True)
    top.type("r")
    top.wait_for("RESIDENT")
    check("shows what is resident", True)
    top.type("r")
    top.wait_until(lambda lines: "RESIDENT" not in "\n".join(lines))
    sort_by(top, "live")


def look_at_filters(top):
    top.type("/second_x\x7fc")
    top.wait_for("/second_c")
    top.type(ENTER)
    lines = top.wait_until(has("matching *second_c*", "1-1 of 1 "))
    check("a caller is found, with its part", "60,000" in first_row(lines) and
          "holds_most" in first_row(lines), lines)
    top.type(ESCAPE)
    top.wait_until(has("holds_many"))
    check("the filter goes", True)


def look_at_help(top):
    top.type("?")
    lines = top.wait_until(has("Keys", "show growth"))
    check("helps", "Up, k" in lines[1], lines)
    top.type(ESCAPE)
    top.wait_for("LIVE BYTES")


def look_at_sizes(top):
    top.resize(10, 40)
    lines = top.wait_until(lambda lines: "1-3 of 4" in lines[3])
    place = f"c:{line_of('malloc(60000)')}"
    check("takes a small size", "120,000" in first_row(lines) and
          first_row(lines).endswith(place) and len(lines[0]) <= 40, lines)
    top.type(ENTER)
    top.wait_for("2 stacks")
    top.type(PAGE_DOWN)
    lines = top.wait_until(lambda lines: "2 stacks" not in "\n".join(lines))
    check("stacks scroll", "second_caller" not in lines[1], lines)
    top.type(ESCAPE)
    top.wait_for("LIVE BYTES")
    top.type(END)
    top.wait_until(lambda lines: "2-4 of 4" in lines[3] or
                   "1-4 of 4" in lines[3])
    check("scrolls", "400 " in top.chosen()[0], top.chosen())
    top.type(HOME)
    top.resize(60, 200)
    top.wait_until(has(LONG + "  "))
    check("takes a large size", True)


def look_at_processes(top):
    top.type("p")
    top.wait_for("Processes of the recording")
    check("the first is watched", "(watched)" in top.chosen()[0], top.chosen())
    top.type("j" + ENTER)
    lines = top.wait_until(has("holds_in_the_child"))
    check("another process", "5,000" in first_row(lines), lines)
    top.type("p" + UP + ENTER)
    top.wait_until(has("holds_many"))


def watch():
    subprocess.run(["cc", "-g", "-O0", "-o", "victim", SOURCE], check=True)
    read, write = os.pipe()
    program = subprocess.Popen(
        [TALLY, "record", "-q", "-o", "x.tally", "--", "sh", "-c",
         f"exec 3<&{read}; exec ./victim"], pass_fds=[read],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    program.stdout.read(1)
    top = Terminal([TALLY, "top", "-d", "0.2", str(program.pid)], 24, 80)
    before = termios.tcgetattr(top.master)
    look_at_rows(top)
    look_at_stacks(top)
    look_at_orders(top, program)
    look_at_filters(top)
    look_at_help(top)
    look_at_sizes(top)
    look_at_processes(top)
    program.stdin.close()
    os.close(write)
    program.wait(60)
    top.wait_for("has ended")
    check("notices the end", "holds_most" in "\n".join(top.lines()))
    top.type("/grows" + ENTER)
    top.wait_until(has("1-1 of 1 "))
    check("filters what has ended", True)
    after = termios.tcgetattr(top.master)
    top.type("q")
    check("quits", top.wait_for_end() == 0)
    check("the terminal is another one meanwhile", before[3] != after[3])


def stop():
    """Test terminal signals; the shell shows that it has the terminal back."""
    script = (f"stty -a >before; set -m; {TALLY} top x.tally; stty -a >now; "
              "echo; echo it is stopped; read answer; fg; "
              "stty -a >after; echo; echo it is over; read answer")
    shell = Terminal(["/bin/sh", "-c", script], 24, 80)
    shell.wait_for("LIVE BYTES")
    shell.type("\x1a")
    shell.wait_for("it is stopped")
    with open("before", encoding="utf-8") as file:
        before = file.read()
    with open("now", encoding="utf-8") as file:
        check("stops, and gives the terminal back", file.read() == before)
    shell.screen.reset()
    shell.type("\n")
    shell.wait_for("LIVE BYTES")
    check("goes on", True)
    shell.type("\x03")
    shell.wait_for("it is over")
    with open("after", encoding="utf-8") as file:
        check("is interrupted, and gives it back", file.read() == before)
    shell.type("\n")
    shell.wait_for_end()


def regions():
    """Test a trace, and one that comes through a pipe and does not end."""
    make = [sys.executable, os.path.join(os.environ["CASE_DIR"],
                                         "../make_trace.py")]
    subprocess.run(make + ["--layout=3", "--grow=1", "--rounds=8", "trace"],
                   check=True)
    top = Terminal([TALLY, "top", "trace"], 12, 60)
    lines = top.wait_until(has("at its end", "mem_slab"))
    check("regions as they lie", first_row(lines).startswith("stack "), lines)
    sort_by_word(top, "peak")
    top.wait_until(lambda lines: "mem_slab" in first_row(lines))
    top.type("m/heap" + ENTER)
    lines = top.wait_until(has("1-2 of 2 like *heap*", "GROWTH"))
    check("are sorted, marked and filtered", True)
    top.type(ENTER)
    top.wait_for("a region has no stacks")
    top.type("p")
    top.wait_for("a trace has no processes")
    top.type("q")
    check("quits", top.wait_for_end() == 0)
    os.mkfifo("wire")
    top = Terminal([TALLY, "top", "wire"], 12, 60)
    with open("trace", "rb") as file, open("wire", "wb") as wire:
        wire.write(file.read())
        wire.flush()
        top.wait_until(has("4 regions", "mem_slab"))
        top.type("\x03")
        check("an interrupt ends a wire", top.wait_for_end() == 0)


def leave():
    """Test that the terminal goes away."""
    top = Terminal([TALLY, "top", "x.tally"], 24, 80)
    top.wait_for("LIVE BYTES")
    os.close(top.master)
    end = time.monotonic() + 60
    while os.waitpid(top.pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            sys.exit("it stays without a terminal")
        time.sleep(0.02)
    print("goes with the terminal")


watch()
stop()
leave()
regions()
