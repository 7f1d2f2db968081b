# SPDX-License-Identifier: Apache-2.0
"""Run one command and say what it cost, it and all its descendants.

The cost of a recorded run includes tally record itself: the user pays for that
too.
"""

import datetime
import os
import platform
import shutil
import signal
import subprocess
import tempfile

RUN_SECONDS = 900  # a run that takes longer hangs
CALLGRIND = ("/usr/bin/valgrind", "--tool=callgrind",
             "--callgrind-out-file=/dev/null")
PERF = ("perf", "stat", "-x,", "-e", "instructions:u")


class Failure(Exception):
    """A run did not end as it should."""


def run(command, environment, stdin_path, folder):
    """(resources used, output); the process group dies when it hangs."""
    with open(stdin_path or os.devnull, "rb") as stdin, \
            tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=output, stderr=subprocess.STDOUT,
            cwd=folder, env={**os.environ, **environment},
            start_new_session=True)
        signal.signal(signal.SIGALRM,
                      lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.alarm(RUN_SECONDS)
        _, status, usage = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if status != 0:
        last = " ".join(text.strip().splitlines()[-1:])
        raise Failure(f"{' '.join(command)}: exit {process.returncode}: {last}")
    return usage, text


def user_seconds(command, *where):
    """(user time in seconds, what it printed)"""
    usage, text = run(command, *where)
    return usage.ru_utime, text


def processor_seconds(command, *where):
    """(user and system time in seconds, what it printed)"""
    usage, text = run(command, *where)
    return usage.ru_utime + usage.ru_stime, text


def peak_kib(launcher, command, *where):
    """Peak resident memory of the largest process, in KiB."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        run([launcher, file.name, *command], *where)
        return int(file.read())


def callgrind_instructions(command, *where):
    """Instructions that callgrind counted in the program. Its command holds
    CALLGRIND before the program's name."""
    _, text = run(command, *where)
    counts = [int(line.split(":")[-1].replace(",", ""))
              for line in text.splitlines() if "Collected :" in line]
    if not counts:
        raise Failure(f"{' '.join(command)}: no count: {text[-200:]}")
    return max(counts)


def perf_instructions(command, *where):
    """User instructions that the processor counted, of all processes."""
    _, text = run([*PERF, *command], *where)
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[2].startswith("instructions"):
            return int(fields[0])
    raise Failure(f"{' '.join(command)}: no count: {text[-200:]}")


def why_no_perf():
    """Why perf stat counts no instructions here, or None when it does."""
    if shutil.which(PERF[0]) is None:
        return "perf is not installed"
    done = subprocess.run([*PERF, "true"], stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode != 0:
        return " ".join(done.stdout.strip().splitlines()[:1])
    if not done.stdout.strip().split(",")[0].isdigit():
        return "this machine gives it no counter of instructions"
    return None


def machine():
    """What is measured on, and when."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file
                 if line.startswith("model name")] or [platform.machine()]
    return f"{datetime.date.today()}, {names[0]}, {os.cpu_count()} CPUs, " \
        f"Linux {platform.release()}, {' '.join(platform.libc_ver())}, " \
        f"load at the start {os.getloadavg()[0]:.1f}."
