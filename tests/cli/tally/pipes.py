# SPDX-License-Identifier: Apache-2.0
"""Run each command with a pipe for each argument and each value of an option,
and for each name that it opens in a folder. SIGTERM ends one that waits.

usage: pipes.py TALLY LEDGER TRACE
"""

import concurrent.futures
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LOOK_SECONDS, END_SECONDS = 0.7, 30
TOGETHER = 8
# Arguments of each command: FOLDER is a trace of pipes, LEDGER has one beside
# it, and each word in turn becomes a pipe.
GIVEN = {
    "record": [["-o", "out.tally", "--", "sleep", "1"]],
    "attach": [["-o", "out.tally", "PID"]],
    "detach": [["PID"]],
    "report": [["LEDGER"], ["TRACE"], ["FOLDER"]],
    "snapshot": [["-o", "out.tally", "PID"]],
    "top": [["-n1", "LEDGER"], ["-n1", "TRACE"], ["-n1", "FOLDER"]],
    "diff": [["LEDGER", "LEDGER"], ["TRACE", "TRACE"], ["FOLDER", "FOLDER"]],
    "export": [["--to=folded", "-o", "out", "LEDGER"],
               ["--to=tef", "-o", "out", "TRACE"],
               ["--to=html", "-o", "out", "FOLDER"]],
    "view": [["--no-browser", "LEDGER"], ["--no-browser", "FOLDER"]],
    "serve": [["--listen=127.0.0.1:0"]],
    "push": [["--to=http://127.0.0.1:9/ingest", "./ALONE"],
             ["--to=http://127.0.0.1:9/ingest", "--spool=spool", "./ALONE"]],
    "check": [["--max-live=1", "LEDGER"], ["LEDGER", "LEDGER"]],
    "store": [["add", "--server=http://127.0.0.1:9/", "LEDGER"],
              ["report", "--server=http://127.0.0.1:9/", "-o", "out"]],
    "allocinfo": [["LEDGER"], ["kernel.txt"]],
    "capture": [["-o", "out", "TRACE"]],
    "decode": [["TRACE"], ["FOLDER"]],
    "ctl": [["PID"]],
}


class Case:
    def __init__(self, tally, sources):
        self.tally, self.sources = tally, sources
        self.waited = 0

    def words(self, *arguments):
        """Return the next matching element, and its words."""
        said = subprocess.run([self.tally, "completion", "--words",
                               *arguments], capture_output=True, text=True,
                              check=True).stdout.splitlines()
        return said[0], [line.split("\t")[0] for line in said[1:]]

    def lines(self, command):
        """Yield command lines, each with the position of its pipe."""
        for given in GIVEN[command]:
            yield given  # beside a pipe of the project's own
            for place, word in enumerate(given):
                if not word.startswith("-") or word == "--":
                    yield [*given[:place], "PIPE", *given[place + 1:]]
            if "LEDGER" in given or "TRACE" in given or "FOLDER" in given:
                yield ["-" if word in ("LEDGER", "TRACE", "FOLDER") else word
                       for word in given]
            for option in self.words(command, "--")[1]:
                if not option.endswith("="):
                    continue
                if self.words(command, option)[0] == "files":
                    yield [option + "PIPE", *given]

    def prepare(self, folder, has_writer, has_project):
        """Return the open file descriptors."""
        for name, source in zip(("LEDGER", "TRACE", "ALONE"),
                                (*self.sources, self.sources[0])):
            shutil.copy(source, os.path.join(folder, name))
        with open(os.path.join(folder, "kernel.txt"), "w",
                  encoding="utf-8") as file:
            file.write("allocinfo - version: 1.0\n")
        pipes = ["PIPE"]
        for name in ("FOLDER/stream", "FOLDER/metadata", "FOLDER/channel0_0",
                     "LEDGER.d/1-0", "spool/push.new", "spool/push.accounts"):
            os.makedirs(os.path.join(folder, os.path.dirname(name)), 0o700,
                        exist_ok=True)
            pipes.append(name)
        if has_project:
            pipes.append(".tally.yaml")
        for name in pipes:
            os.mkfifo(os.path.join(folder, name), 0o600)
        return [os.open(os.path.join(folder, name), os.O_RDWR)
                for name in pipes] if has_writer else []

    def run(self, command, line, has_writer):
        """Return the error, or None."""
        with tempfile.TemporaryDirectory() as folder:
            held = self.prepare(folder, has_writer, "PIPE" not in
                                "".join(line))
            sleep = subprocess.Popen(["sleep", "60"])
            words = [str(sleep.pid) if word == "PID" else word
                     for word in line]
            theirs, ours = os.pipe()
            process = subprocess.Popen(
                [self.tally, command, *words], stdin=theirs, cwd=folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                return self.end(process)
            finally:
                process.kill()
                process.wait()
                sleep.kill()
                sleep.wait()
                for one in (*held, theirs, ours):
                    os.close(one)

    def end(self, process):
        try:
            process.wait(LOOK_SECONDS)
            return None
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return "SIGTERM does not end it"
        self.waited += 1
        return None if status in (-signal.SIGTERM, 0, 1, 2) else \
            f"SIGTERM ends it with status {status}"


def end_top(tally):
    """Test a terminal, where the file is read again and again."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("allocinfo - version: 1.0\n 4096 1 a.c:1 func:f \n")
        os.mkfifo(path + ".pipe")
        top, terminal = pty.fork()
        if top == 0:
            os.environ["TERM"] = "xterm"
            os.execv(tally, [tally, "top", "-d0.1", path])
        for what in b"func", b"no regular file":
            seen = b""
            while what not in seen:
                if not select.select([terminal], [], [], END_SECONDS)[0]:
                    break
                seen += os.read(terminal, 1 << 16)
            os.replace(path + ".pipe", path) if what == b"func" else None
        os.kill(top, signal.SIGTERM)
        deadline = time.monotonic() + END_SECONDS
        while time.monotonic() < deadline:
            if os.waitpid(top, os.WNOHANG)[0] != 0:
                return "SIGTERM ends it"
            time.sleep(0.05)
        os.kill(top, signal.SIGKILL)
        os.waitpid(top, 0)
        return "SIGTERM does not end it"


def main(tally, *sources):
    case = Case(tally, [os.path.abspath(source) for source in sources])
    commands = case.words("")[1]
    print("commands without a line:", sorted(set(commands) ^ set(GIVEN)))
    lines = [(command, line, has_writer) for command in commands
             for line in case.lines(command) for has_writer in (False, True)]
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        found = list(pool.map(lambda one: case.run(*one), lines))
    for (command, line, has_writer), wrong in zip(lines, found):
        if wrong is not None:
            print(command, *line, "with a writer:" if has_writer else
                  "without:", wrong)
    print("enough lines:", len(lines) > 300, case.waited > 50)
    print("top of a file that becomes a pipe:", end_top(tally))


main(*sys.argv[1:])
