# SPDX-License-Identifier: Apache-2.0
"""Without memory tally export leaves no file, and tally top no screen.

usage: output.py TALLY FAIL_NTH_LIBRARY

One request for memory fails in each of some runs. Either the result is the
normal one, or the status is 2, one line says why, the partial file is removed
and the terminal is restored before that line.
"""

import os
import pty
import subprocess
import sys
import tempfile

SOME = 60
GIVEN_BACK = b"\x1b[?1049l"


def run(words, library, nth):
    """Return status and errors; also the number of requests, if none fails."""
    with tempfile.TemporaryFile("w+") as report:
        done = subprocess.run(
            words, capture_output=True, check=False, timeout=60,
            pass_fds=[report.fileno()],
            env={**os.environ, "LD_PRELOAD": library, "FAIL_NTH": str(nth),
                 "FAIL_REPORT": str(report.fileno())})
        report.seek(0)
        count = report.read()
    return done.returncode, done.stderr, int(count) if count else 0


def check_export(tally, library, form, folder):
    """Return the number of runs that ended without memory, after the file was
    made or before."""
    output = os.path.join(folder, "output")
    words = [tally, "export", "--to", form, "-o", output,
             os.path.join(folder, "a.tally" if form == "svg" else "calls.txt")]
    status, errors, count = run(words, library, 0)
    assert (status, errors) == (0, b""), (status, errors)
    ended = 0
    for nth in range(1, count + 1, max(1, count // SOME)):
        subprocess.run(["rm", "-rf", output], check=True)
        status, errors, _ = run(words, library, nth)
        if status == 0:
            assert os.path.exists(output), nth
            continue
        lines = errors.splitlines()
        assert status == 2 and len(lines) == 1, (nth, status, errors)
        assert b" memory" in lines[0], (nth, errors)
        assert not os.path.exists(output), nth
        ended += 1
    subprocess.run(["rm", "-rf", output], check=True)
    return ended


def show(words, library, nth, report):
    """Return the status of a command on a terminal, and all its output
    there."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", LD_PRELOAD=library, FAIL_NTH=str(nth))
        if report is not None:
            os.set_inheritable(report, True)
            os.environ["FAIL_REPORT"] = str(report)
        os.execv(words[0], words)
    os.write(terminal, b"q")
    seen = b""
    while True:
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            break
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen


def check_top(tally, library, folder):
    """Return the number of runs that ended without memory while the screen was
    taken."""
    words = [tally, "top", os.path.join(folder, "zpl.trace")]
    ended = 0
    with tempfile.TemporaryFile("w+") as report:
        show(words, library, 0, report.fileno())
        report.seek(0)
        count = int(report.read())
    for nth in range(count - SOME, count + 1):
        status, seen = show(words, library, nth, None)
        where = seen.find(b"not enough memory")
        if where >= 0 and b"\x1b[?1049h" in seen:
            assert status == 2, (nth, status)
            assert 0 <= seen.find(GIVEN_BACK) < where, (nth, seen)
            ended += 1
    return ended


def main():
    tally, library = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="tally-output-") as folder:
        subprocess.run([tally, "record", "--quiet", "--trace=calls.txt", "-o",
                        "a.tally", "--", "/bin/ls"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-B", os.path.join(
            os.path.dirname(__file__), "..", "cli", "make_trace.py"),
            "--rounds=7", "zpl.trace"], cwd=folder, check=True)
        ended = {form: check_export(tally, library, form, folder)
                 for form in ("svg", "ctf")}
        ended["top"] = check_top(tally, library, folder)
    print("ended without memory:", ended)
    return 1 if min(ended.values()) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
