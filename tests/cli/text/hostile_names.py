#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every command, form and exporter, with hostile names.

usage: hostile_names.py files|running

files: names from files, also those of a store and a receiver. running: names
of running programs. A new form, exporter or command fails until it has a check
here. This file is long because each has one.
"""

import csv
import fcntl
import gzip
import http.client
import http.server
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import threading
import unicodedata
import urllib.parse
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from make_ledger import CHILD_STATIC, HEAP, MAP, REGIONS, RESIDENCY, \
    SAMPLED, Ledger  # noqa: E402

# Names that end lines and records, control terminals, are invalid UTF-8,
# reverse text, are invisible, or are markup, a formula, a command of GitHub or
# of a shell.
BODY = ("owned<script>alert(1)</script>/=owned\x1b]0;title\x07\x1b[2J\r\n\t"
        "::error::x%0A\u009b2J\u202e\u2066\u200b\u2028\u00ad\U000e0041]]>"
        "\"'`|;,&\\{}[]()#$~*_!@ +1\udcff\udcc3owned").encode(
            "utf-8", "surrogateescape")
FORMULAS = [b"=", b"+", b"-", b"@"]
NAME = b"=" + BODY + b"x" * 3000
FILE = b"=" + BODY.replace(b"/", b"")  # a file may have this name

tried = set()  # commands


def text_of(name):
    return name.decode("utf-8", "surrogateescape")


def odd_in(text, allowed):
    return sorted({one for one in text if one != "\n" and one not in allowed and
                   unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")})


def safe(data, allowed=""):
    """Return the text of data; check that it is UTF-8, and no character
    controls the terminal, hides or reverses text."""
    text = data.decode("utf-8")
    odd = odd_in(text, allowed)
    assert not odd, (odd, [line[:300] for line in text.splitlines()
                           if odd_in(line, allowed)][:2])
    return text


def check_json(data):
    json.loads(safe(data))


def check_csv(data):
    """Check that no text cell begins a formula, and each row is complete."""
    rows = list(csv.reader(io.StringIO(safe(data)), strict=True))
    assert len({len(row) for row in rows}) == 1, rows
    for row in rows:
        for cell in row:
            assert not re.match(r"[-=+@\t\r]", cell) or \
                re.fullmatch(r"-?\d+", cell), cell
    assert len(rows) == 1 or any("owned" in cell for cell in rows[1]), rows[:2]


def check_markdown(data):
    """Check that no cell ends early, and no text becomes markup, a link or a
    name."""
    text = safe(data)
    for line in text.splitlines():
        if line.startswith("| ") and "owned" in line:
            assert line.count("|") == 6, line
            assert not re.search(r"[`@~$]|<(?!br>)|\]\(|\[", line), line


def check_github(data):
    for line in safe(data).splitlines():
        assert re.match(r"::(error|warning|notice) [^:]*::", line), line[:300]
        properties = line.split("::")[1].split(" ", 1)[1]
        for one in properties.split(","):
            assert re.fullmatch(r"(file|line|title)=[^,:]*", one), properties


def check_xml(data, tags):
    root = xml.etree.ElementTree.fromstring(safe(data))
    found = {element.tag.split("}")[-1] for element in root.iter()}
    assert found <= tags, found - tags


def check_junit(data):
    check_xml(data, {"testsuites", "testsuite", "testcase", "failure", "error",
                     "skipped", "system-out"})


def check_svg(data):
    check_xml(data, {"svg", "style", "rect", "text", "title", "g", "desc",
                     "path", "line", "defs", "a", "circle", "polyline"})


def check_html(data):
    text = data.decode("utf-8")
    head = text[:text.index("<style")] if "<style" in text else text
    safe(head.encode())
    assert "<script>alert" not in text
    assert "\x1b" not in text and "\x07" not in text


def check_folded(data):
    for line in safe(data).splitlines():
        assert re.fullmatch(r".+ -?\d+", line), line[:300]


def check_heaptrack(data):
    text = safe(gzip.decompress(data))
    for line in text.splitlines():
        assert line[:2].strip() in "vXIsita+-cRS#", line[:300]
        if line.startswith("s "):
            _, length, string = line.split(" ", 2)
            assert int(length, 16) == len(string.encode()), line


def check_pprof(data):
    """Return strings: field 6."""
    data, at, strings = gzip.decompress(data), 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            varint()
        else:
            length = varint()
            if key >> 3 == 6:
                strings.append(data[at:at + length])
            at += length
    safe(b"\n".join(strings))


def check_metrics(data):
    label = r'[a-z_]+="(?:[^"\\]|\\["\\n])*"'
    for line in safe(data).splitlines():
        assert line.startswith("# ") or re.fullmatch(
            rf"\w+(\{{{label}(,{label})*\}})? [-+.\deNa]+", line), line[:300]


def check_allocinfo(data):
    for line in safe(data).splitlines()[2:]:
        assert re.match(r" *-?\d+ +\d+ [^ ].* func:\S+ ", line), line[:300]


def check_stacks(data):
    """Check a format read by tally alone, but opened by people all the
    same."""
    safe(data, "\t")


def check_nothing(data):
    assert data == b"", data


FORMS = {"text": safe, "table": safe, "json": check_json, "csv": check_csv,
         "markdown": check_markdown, "github": check_github,
         "junit": check_junit, "1.0": check_allocinfo, "2.0": check_allocinfo}
EXPORTERS = {"folded": check_folded, "svg": check_svg, "html": check_html,
             "pprof": check_pprof, "speedscope": check_json,
             "heaptrack": check_heaptrack, "prometheus": check_metrics}
TRACE_EXPORTERS = {"tef": check_json, "ctf": None, "text": safe}
# Views of a report, which a source has or is refused for.
VIEWS = [[], ["--full"], ["--peak"], ["--leaks"], ["--temporary"],
         ["--reallocs"], ["--callers=*owned*"], ["--reverse"], ["--sum"],
         ["--sum=module"], ["--sum=folder"], ["--by=label"], ["--sizes"],
         ["--regions"], ["--row=1"], ["--all"], ["--lifetimes"],
         ["--resident"], ["--between=1.1,1.9"], ["--at=1.5"], ["--leaf"],
         ["--sort=module"], ["--focus=*owned*"], ["--hide=*owned*"]]
SCRIPTED = [[], ["--full"], ["--by=label"], ["--regions"], ["--lifetimes"]]


def tally(*words, **options):
    tried.add(os.fsdecode(words[0]))
    return subprocess.run(["tally", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False,
                          **options)


def run(check, *words, shows=True, **options):
    """Run and check a command: it may be refused, in a safe line; `shows`: it
    must show a name."""
    done = tally(*words, **options)
    try:
        assert done.returncode in (0, 1, 2), done.returncode
        safe(done.stderr)
        if done.returncode != 2:
            check(done.stdout)
        said = done.stdout + done.stderr
        if shows and check not in (check_heaptrack, check_pprof, check_html):
            assert b"owned" in said, said[:500]
    except (AssertionError, ValueError, xml.etree.ElementTree.ParseError,
            csv.Error, IndexError, KeyError) as error:
        sys.exit(f"{words}: {type(error).__name__}: {str(error)[:2000]}")
    return done


def words_of(said):
    """Return the words of "use text, json or csv", also over several words."""
    known = re.search(rb"(?:; use |did you mean .*use )(.*)", said)[1].decode()
    return re.split(r", or |, | or ", re.sub(r" \([a-z ]*\)", "",
                                             known.strip()))


def forms_of(*words):
    done = tally(*words)
    assert done.returncode == 2, done
    return words_of(done.stderr)


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


class Shared:
    """Make a program with hostile names of a function, its source and itself,
    by replacing other names of the same length."""

    def __init__(self, path, *options):
        function = b"=" + BODY + b"f"
        source = b"-" + BODY.replace(b"/", b"") + b".c"
        names = {b"f" * len(function): function,
                 b"s" * (len(source) - 2) + b".c": source}
        code = f"""
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            void *kept[9];
            __attribute__((noinline)) void {'f' * len(function)}(void)
            {{ kept[0] = malloc(123456); __asm__ volatile(""); }}
            int main(int count, char **arguments)
            {{
                {'f' * len(function)}();
                printf("%d\\n", (int)getpid());
                fflush(stdout);
                return getchar() == 0 && count > 9 && arguments == NULL;
            }}
        """
        given = os.fsdecode(b"s" * (len(source) - 2) + b".c")
        write(given, code.encode())
        subprocess.run(["cc", "-g", "-O1", "-gz=none", "-no-pie",
                        "-fno-inline", "-o", "made", given, *options],
                       check=True)
        with open("made", "rb") as file:
            data = file.read()
        listed = subprocess.run(["nm", "made"], check=True,
                                stdout=subprocess.PIPE).stdout.decode()
        self.address = int(re.search(r"(\S+) . f{9}", listed)[1], 16)
        for old, new in names.items():
            assert old in data and len(old) == len(new)
            data = data.replace(old, new)
        os.unlink(given)
        os.unlink("made")
        self.path = os.path.join(os.fsencode(os.getcwd()), path)
        write(self.path, data)
        os.chmod(self.path, 0o755)


def ledger(shared, grown=0, **header):
    """Write a ledger of hostile texts; one name for each character that begins
    a formula."""
    made = Ledger(minor=7, program=text_of(b"/bin/" + NAME),
                  command_line="a\0" + text_of(NAME) + "\0z", **header)
    gone = made.module(text_of(b"/gone/" + NAME), 0x555555554000, b"\1\2\3")
    there = made.module(text_of(shared.path), 0)
    label = made.frame(0, made.pair(text_of(b"k" + BODY + b"=v" + BODY)), 1)
    main = made.frame(label, gone, 0x555555555100)
    called = made.frame(main, there, shared.address + 9)
    made.site(HEAP, gone, 0x555555555300, (50 + grown, (5 + grown) << 20),
              (10, 1 << 20), frame=called)
    made.site(MAP, there, shared.address + 9, (2, 8192), (1, 4096), frame=main)
    for number, first in enumerate(FORMULAS):
        made.tag((text_of(first + NAME + b".c"), text_of(first + NAME),
                  text_of(first + NAME)), 7 + number,
                 (4 + grown, 400 + 4000 * grown), (0, 0))
    made.temporary = {1: 20}
    made.notice(CHILD_STATIC, 1, text_of(b"/bin/b" + NAME))
    made.sample(0, 1_200_000_000, 50, 1, 50)
    made.sample(1, 1_800_000_000, 90, 2, 90)
    return made


def ledgers(shared):
    """Yield ledgers a, b with more, one of samples, and one with everything
    else."""
    yield b"a", ledger(shared)
    yield b"b", ledger(shared, 3)
    sampled = Ledger(minor=5, flags=SAMPLED, samples=(524288, 60 * 524288),
                     program=text_of(b"/bin/" + NAME))
    module = sampled.module(text_of(b"/gone/" + NAME), 0x555555554000, b"\1")
    main = sampled.frame(0, module, 0x555555555100)
    sampled.sampled(module, 0x555555555500, main, [3, 20, 7, 0, 0, 0, 10],
                    live=3, young=40, promoted=10)
    yield b"s", sampled
    rest = ledger(shared, 1, ended=0)
    rest.add_segment(RESIDENCY, 0, b"".join(
        struct.pack("<7Q8x", 65536, 40, 0, 3, 0, 4096, 8192)
        for _ in range(3)).ljust(4096 * 64, b"\0"))
    rest.history([(1.0, 100, {1: (1, 100, 0, 0)}),
                  (1.5, 300, {1: (2, 200, 0, 0), 2: (1, 9, 0, 0)})])
    slab = struct.pack("<2IQ", 1, 0, 0x5000) + rest.text(text_of(NAME)) + \
        struct.pack("<10Q", 2400, 400, 800, 1200, 3, 0, 0, 0, 1, 0)
    rest.add_segment(REGIONS, 0, (bytes(128) + slab).ljust(16384, b"\0"))
    yield b"r", rest


def sources(shared):
    """Return ledgers, texts and traces with hostile file names."""
    made = {b"x": shared.path}
    for name, content in ledgers(shared):
        made[name] = write(FILE + name, content.to_bytes())
    os.mkdir(FILE + b"a.d")
    for name, image in ledgers(shared):
        write(FILE + b"a.d/%d-1" % (4300 + name[0]), image.to_bytes())
    visible = re.sub(rb"[\0- \x7f]", b"", BODY)
    made[b"k"] = write(FILE + b"k", (
        b"allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n" +
        b"".join(b"%12d %8d %s:%d [%s] func:%s %s:no \n" % (
            4096 << number, 1, first + visible + b".c", number + 1,
            first + visible.replace(b"]", b""), first + visible,
            b"odd" + visible) for number, first in enumerate(FORMULAS))))
    made[b"c"] = write(FILE + b"c", b"#m:0x10;0x%x-5000\n#m:0x9000;0x%x-70\n"
                       % (shared.address + 9, shared.address + 9) +
                       b"noise " + BODY + b"\n#f:0x0;0x602f-0x10\n")
    made[b"t"] = write(FILE + b"t", stack_lines(tabbed(NAME)))
    subprocess.run([sys.executable, os.path.join(
        os.path.dirname(__file__), "..", "make_trace.py"), "trace"], check=True)
    made[b"z"] = FILE + b"z"
    os.rename("trace", made[b"z"])
    subprocess.run([sys.executable, os.path.join(
        os.path.dirname(__file__), "..", "make_elf.py"), "32", "objects",
        os.fsdecode(BODY.replace(b"@", b"").replace(b"+", b"")) +
        "@0x2001002c+28"], check=True)
    made[b"o"] = FILE + b"o"
    os.rename("objects", made[b"o"])
    return made


def tabbed(text):
    escapes = {7: b"\7", 9: b"\\t", 10: b"\\n", 13: b"\\r", 39: b"\\'",
               92: b"\\\\"}
    return b"".join(escapes.get(byte, bytes([byte])) for byte in text)


def stack_lines(name):
    return (b"tally stacks 1\nnote\t%s\nimage\t/bin/%s\t9\t1700000000000000000"
            b"\t1700000001000000000\t1\nnames\tabab\t8\t/lib/%s\t['%s']\t['%s'"
            b"]\t[7]\nstack\theap\t['k%s']\t['%s']\t['abab']\t[8]\t3\t9000\t3\t"
            b"9000\t0\t0\n" % ((name,) * 7))


def reports(made):
    forms = forms_of("report", "--format=?", made[b"a"])
    for name in (b"a", b"b", b"s", b"r", b"k", b"c", b"t", b"z"):
        elf = [b"--elf=" + made[b"o"]] if name == b"z" else []
        for form in forms:
            for view in {"text": VIEWS, "json": SCRIPTED}.get(form, VIEWS[:2]):
                run(FORMS[form], "report", f"--format={form}", *view, *elf,
                    made[name], shows=not view and form == "text")
    run(check_svg, "report", "--svg", b"--elf=" + made[b"o"], made[b"z"])
    run(safe, "report", b"--elf=" + made[b"x"], made[b"c"])
    run(safe, "report", b"--since=" + made[b"a"], made[b"b"])


def comparisons(made):
    forms = forms_of("diff", "--format=?", made[b"a"], made[b"b"])
    pairs = [(b"a", b"b"), (b"k", b"k"), (b"a", b"k"), (b"c", b"c"),
             (b"z", b"z"), (b"t", b"a"), (b"s", b"s")]
    for before, after in pairs:
        for form in forms:
            for more in ([], ["--sum=module"], ["--value=total"],
                         ["--fail-over=1"])[:4 if form == "text" else 1]:
                run(FORMS[form], "diff", f"--format={form}", *more,
                    made[before], made[after], shows=False)
        run(check_svg, "diff", "--svg", made[before], made[after], shows=False)
        run(check_html, "diff", "--html", made[before], made[after],
            shows=False)


def checks(made):
    pattern = text_of(BODY).encode("unicode_escape", "replace")
    budget = write(FILE + b"y", b"rules:\n  - live <= 1 K\n  - leaks = 0\n"
                   b"  - \"live *owned* <= 9\"\n  - growth live <= 1 %\n"
                   b"  - \"live \\\"*" + re.sub(
                       rb"[^ -~]|[\"\\]", b"?", pattern) + b"*\\\" = 0\"\n")
    for form in forms_of("check", "--format=?", made[b"a"]):
        for name in (b"a", b"b", b"k", b"c", b"t"):
            run(FORMS[form], "check", f"--format={form}", b"--budget=" + budget,
                b"--baseline=" + made[b"a"], made[name])
    run(safe, "check", "--learn", *[b"--baseline=" + made[b"a"]] * 3)
    wrong = write(FILE + b"w", b"rules: [\"" + visible_part() + b"\"]\n")
    run(safe, "check", b"--budget=" + wrong, made[b"a"])


def visible_part():
    return re.sub(rb"[\0-\x1f\x7f\"\\]|[\x80-\xff]", b"", BODY)


def exports(made):
    known = set(words_of(tally("export", "--to=?", made[b"a"]).stderr))
    assert known == set(EXPORTERS) | set(TRACE_EXPORTERS), known
    for name in (b"a", b"s", b"r", b"k", b"c", b"t"):
        for to, check in EXPORTERS.items():
            run(check, "export", f"--to={to}", made[name],
                *[b"--elf=" + made[b"x"]] * (name == b"c"),
                shows=name in b"ak" and to != "prometheus")
    for name in (b"c", b"z"):
        elf = b"--elf=" + (made[b"x"] if name == b"c" else made[b"o"])
        for to, check in TRACE_EXPORTERS.items():
            if check is not None:
                run(check, "export", f"--to={to}", elf, made[name],
                    shows=to == "tef" and name == b"z")
                continue
            run(check_nothing, "export", f"--to={to}", elf, made[name],
                "-o", "folder", shows=False)
            with open("folder/metadata", "rb") as file:
                safe(file.read(), "\t")
            shutil.rmtree("folder")


def other_readers(made):
    for name in (b"a", b"b", b"s", b"r", b"t"):
        for form in FORMS["1.0"], FORMS["2.0"]:
            run(form, "allocinfo", made[name], shows=name != b"s")
        run(check_allocinfo, "allocinfo", "--totals", "--sum", made[name])
    for name in (b"a", b"b", b"s", b"r", b"c", b"t"):
        run(safe, "top", "-n", "1", made[name])
    run(safe, "top", "-n", "1", made[b"k"])
    run(safe, "top", "-n", "1", b"--elf=" + made[b"o"], made[b"z"])
    # Rows of a text are unchanged in a pipe, but not on a terminal.
    with open(made[b"k"], "rb") as file:
        assert tally("allocinfo", made[b"k"]).stdout == file.read()
    for name, elf in ((b"c", made[b"x"]), (b"z", made[b"o"])):
        run(safe, "decode", b"--elf=" + elf, made[name])
        run(check_json, "decode", "--json", b"--elf=" + elf, made[name])
        run(check_nothing, "capture", made[name], b"-o", FILE + b"captured")
        os.unlink(FILE + b"captured")
    for command in ("report", "diff", "check", "export", "allocinfo", "decode",
                    "top", "view", "push", "capture"):
        run(safe, command, FILE + b"absent", *[FILE + b"too"] * (
            command == "diff"), *["--to=folded"] * (command == "export"),
            shows=False)
        run(safe, command, b"--" + NAME, shows=False)
        run(safe, command, b"--sort=" + NAME, FILE, shows=False)
    safe(subprocess.run(["tally", NAME], stderr=subprocess.PIPE,
                        check=False).stderr)


def shown_on_terminal(*words):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 50, 300, 0, 0))
    process = subprocess.Popen(["tally", *words], stdin=theirs, stdout=theirs,
                               stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while got := os.read(ours, 65536):
            shown += got
    except OSError:  # the last one has closed it
        pass
    os.close(ours)
    assert process.wait(60) in (0, 1), (words, shown)
    return shown


def on_terminal(made):
    """Check that titles and bells come from names alone."""
    for words in (["report", made[b"a"]], ["report", "--full", made[b"a"]],
                  ["allocinfo", made[b"k"]], ["allocinfo", made[b"a"]],
                  ["diff", made[b"a"], made[b"b"]],
                  ["diff", made[b"k"], made[b"k"]],
                  ["check", "--budget", FILE + b"y", made[b"a"]],
                  ["decode", b"--elf=" + made[b"o"], made[b"z"]],
                  ["top", "-n", "2", "-d", "100ms", made[b"a"]],
                  ["top", "-n", "2", "-d", "100ms", made[b"k"]]):
        shown = shown_on_terminal("--no-pager", *words)
        assert b"owned" in shown, words
        for sign in (b"\x07", b"\x1b]", b"\xc2\x9b", "\u202e".encode(),
                     b"\xff"):
            assert sign not in shown, (words, sign, shown[:2000])


class Server:
    """Answer each request with the next of its answers, or the last."""

    def __init__(self, *answers):
        server = self
        self.asked = []
        self.answers = list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers.get("Content-Length") or 0)
                server.asked.append((self.path, self.rfile.read(size)))
                answer = server.answers[0]
                if len(server.answers) > 1:
                    server.answers.pop(0)
                status, data = answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.http = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, args=(0.02,),
                         daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def stores(made):
    forms = forms_of("store", "top", "--format=?")
    name, version, note = tabbed(NAME), (200, b"20.1\n"), (200, b"3\t2\t1\t0\n")
    stack = b"18446744073709551615"
    names = (200, b"names\tab\t16\t/bin/%s\t['%s']\t['%s']\t[7]\n" % (
        (name,) * 3))
    calls = (200, b"stack\theap\t[]\t[]\t['ab']\t[16]\t0\t0\t0\t%s\t0\t%s\n" %
             (stack, stack))
    cells = b"".join(b"8192\t2\t9000\t1\t1\t%s%s\n" % (first, name[1:])
                     for first in FORMULAS)
    questions = [
        (["top", "--by=host"], [(200, cells)]),
        (["top", "--by=stack"], [(200, b"8192\t2\t9000\t1\t1\t%s\n" % stack),
                                 names, calls]),
        (["top", "--outliers"], [(200, b"9\t3\t%s\t%s\n" % (name, stack)),
                                 names, calls]),
        (["diff", "--since=1d"], [(200, b"1\n"), (
            200, b"-5\t6\t1\t1\t%s\t%s\n" % (name, stack)), names, calls]),
        (["report"], [(200, b"%s\t1\t2\t3\t4\t5\n" % name)]),
        (["top"], [(403, b"Code: 516. DB::Exception: %s (version 24)\n" %
                    NAME)]),
    ]
    environment = dict(os.environ, no_proxy="127.0.0.1")
    for words, answers in questions:
        for form in forms:
            with Server(version, *answers, note) as server:
                run(FORMS[form], "store", *words, f"--format={form}",
                    f"--db=clickhouse://127.0.0.1:{server.port}/fleet",
                    env=environment)
    with Server(version, (200, b"1\t0\t1\t0\n"), names, calls) as server:
        run(check_nothing, "store", "report",
            f"--db=clickhouse://127.0.0.1:{server.port}/fleet", b"-o",
            FILE + b"stored", env=environment)
    with open(FILE + b"stored", "rb") as file:
        check_stacks(file.read())
    run(safe, "report", FILE + b"stored")
    with Server(version, (200, b"")) as server:
        run(safe, "store", "add", b"--service=" + NAME, b"--host=" + NAME,
            b"--label=k=" + NAME, made[b"a"], env=environment, shows=False)


def check_pushed(path, asked, body):
    assert re.fullmatch(r"[!-~]*", asked), asked
    if path == "/ingest":
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(asked).query)
        assert "owned" in safe(query["name"][0].encode())
        check_pprof(body)
        return
    check_json(body)
    labels = json.loads(body)["series"][0]["labels"]
    for label in labels:
        safe(label["value"].encode())
    assert "owned" in str(labels)


def pushes(made):
    for path in ("/ingest", "/push.v1.PusherService/Push"):
        with Server((200, b"")) as server:
            done = tally("push", f"--to=http://127.0.0.1:{server.port}{path}",
                         b"./" + made[b"a"],
                         env=dict(os.environ, no_proxy="127.0.0.1"))
        safe(done.stdout + done.stderr)
        assert done.returncode == 0, done.stderr
        assert server.asked
        for asked, body in server.asked:
            check_pushed(path, asked, body)
    with Server((400, NAME)) as server:
        done = tally("push", f"--to=http://127.0.0.1:{server.port}/ingest",
                     b"./" + made[b"b"],
                     env=dict(os.environ, no_proxy="127.0.0.1"))
    safe(done.stdout + done.stderr)


class Background:
    """Run a command that prints an address, or nothing, until it is ended."""

    def __init__(self, *words):
        tried.add(os.fsdecode(words[0]))
        self.process = subprocess.Popen(
            ["tally", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)

    def address(self):
        return urllib.parse.urlsplit(self.process.stdout.readline().decode()
                                     .strip())

    def get(self, url, path, **headers):
        connection = http.client.HTTPConnection(url.netloc, timeout=60)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        for line in str(answer.headers).splitlines():
            safe(line.encode())
        return body if answer.headers["Content-Encoding"] != "gzip" else \
            gzip.decompress(body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        out, said = self.process.communicate(timeout=60)
        safe(out + said)


def views(made):
    for name in (b"a", b"k", b"t"):
        with Background("view", "--no-browser", made[name]) as view:
            url = view.address()
            page = view.get(url, url.path + ("?" + url.query) * bool(url.query))
            check_html(page)
            assert b"<title>" in page and b"owned" in page


class Program:
    """Run it, also as `command`, until it can read no more."""

    def __init__(self, shared, *command):
        self.process = subprocess.Popen(
            [*command, shared.path], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid = self.process.stdout.readline().decode().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        out, said = self.process.communicate(b"", timeout=60)
        safe(out + said)


def ask_of(pid, shows=True):
    """Check all output about a running process; `shows` its names."""
    for form in forms_of("report", "--format=?", pid):
        run(FORMS[form], "report", f"--format={form}", pid, shows=False)
        run(FORMS[form], "diff", f"--format={form}", pid, pid, shows=False)
    for view in VIEWS:
        run(safe, "report", *view, pid, shows=not view)
    for to, check in EXPORTERS.items():
        run(check, "export", f"--to={to}", pid,
            shows=shows and to in ("folded", "svg"))
    run(check_allocinfo, "allocinfo", pid, shows=shows)
    run(safe, "top", "-n", "1", pid)
    run(safe, "ctl", pid, shows=False)
    run(safe, "ctl", pid, "vm.mem_profiling=1", shows=False)
    run(safe, "ctl", pid, b"vm." + NAME, shows=False)
    run(check_nothing, "snapshot", "-o", FILE + b"snapshot", pid)
    os.unlink(FILE + b"snapshot")
    run(lambda data: safe(data, "\t"), "completion", "--words", "report", "")


def serve(pid):
    with Background("serve", "--listen=127.0.0.1:0") as served:
        url = served.address()
        check_html(served.get(url, "/"))
        check_metrics(served.get(url, "/metrics"))
        metrics = served.get(url, "/metrics",
                             Accept="application/openmetrics-text")
        check_metrics(metrics)
        report = served.get(url, f"/program/{pid}/report.json")
        check_json(report)
        assert b"owned" in served.get(url, "/")
        assert b"owned" in metrics and b"owned" in report
        check_html(served.get(url, f"/program/{pid}/"))
        for kind in ("heap", "allocs"):
            check_pprof(served.get(url, f"/debug/pprof/{kind}?pid={pid}"))
    with Background("view", "--no-browser", pid) as view:
        url = view.address()
        check_html(view.get(url, url.path + ("?" + url.query) *
                            bool(url.query)))


def ask_running():
    shared = Shared(FILE)
    tried.add("record")
    with Program(shared, "tally", "record", b"-o", FILE + b"recorded",
                 "--") as program:
        ask_of(program.pid)
        serve(program.pid)
    run(safe, "report", FILE + b"recorded")
    with Program(shared) as program:
        with Background("attach", b"-o", FILE + b"attached",
                        program.pid) as attached:
            wait_for_line(attached)
            ask_of(program.pid, shows=False)
            run(safe, "detach", program.pid, shows=False)


def wait_for_line(command):
    """Check that it reports recording, or the reason against it."""
    line = command.process.stderr.readline()
    safe(line)


def read_files():
    shared = Shared(FILE)
    made = sources(shared)
    for walk in (reports, comparisons, checks, exports, other_readers,
                 on_terminal, stores, pushes, views):
        walk(made)


def main(arguments):
    os.environ["DISPLAY"] = ""
    {"files": read_files, "running": ask_running}[arguments[0]]()
    listed = subprocess.run(["tally", "--help"], check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    commands = set(re.findall(r"^  ([a-z]+)  ", listed, re.M))
    print("safe:", *sorted(tried))
    print("not tried here:", *sorted(commands - tried))


if __name__ == "__main__":
    main(sys.argv[1:])
