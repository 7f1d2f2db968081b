# SPDX-License-Identifier: Apache-2.0
"""Counters: Tally, Valgrind and a shim, all used in the same way, and a
witness: the shim in the same run, which sees each call before Tally does."""

import os
import shutil
import struct
from dataclasses import astuple, dataclass

import consistency
from harness import recording, valgrind, watchdog

SETTLED = ["setarch", "-R"]  # no address space randomization


@dataclass(frozen=True)
class Totals:
    allocations: int
    frees: int
    bytes_allocated: int

    def __sub__(self, other):
        return Totals(*(mine - others for mine, others in
                        zip(astuple(self), astuple(other))))


@dataclass(frozen=True)
class Count:
    """One run: its output and its counts."""

    stdout: bytes
    totals: Totals
    failed: int | None = None  # requests; only Tally counts them


class Counter:
    """A way to run a command and get its totals."""

    def __init__(self, build, folder, preloaded=()):
        self.libraries = os.path.join(build, "tests", "programs", "agreement")
        self.preloaded = [os.path.join(self.libraries, name + ".so")
                          for name in preloaded]
        self.file = os.path.join(folder, type(self).__name__.lower())

    def start(self, command):
        """Return the command that runs `command` and counts."""
        raise NotImplementedError

    def result(self):
        """Return totals, and the number of failed requests if it is known."""
        raise NotImplementedError

    def forget(self):
        if os.path.exists(self.file):
            os.remove(self.file)

    def run(self, command, folder, variables, stdin=b""):
        self.forget()
        if self.preloaded:
            variables = variables | {"LD_PRELOAD": ":".join(self.preloaded)}
        return watchdog.run([*SETTLED, *self.start(command)], folder=folder,
                            stdin=stdin, environment=variables, timeout=90)

    def count(self, command, folder, variables, stdin, status):
        outcome = self.run(command, folder, variables, stdin)
        assert not outcome.hung, f"{type(self).__name__}: hung: {command}"
        assert outcome.status == status, \
            f"{type(self).__name__}: {command} ended with {outcome.status}, " \
            f"not {status}: {outcome.stderr.decode(errors='replace')[-2000:]}"
        return Count(outcome.stdout, *self.result())


class Tally(Counter):
    def __init__(self, build, folder, preloaded=()):
        super().__init__(build, folder, preloaded)
        self.recorder = recording.Recorder(build, folder)

    def start(self, command):
        return self.recorder.command(command, name="tally")

    def forget(self):
        shutil.rmtree(self.file + ".d", ignore_errors=True)
        super().forget()

    def result(self):
        account = self.recorder.first("tally")
        lost = {name: account.lost(name) for name in account.lost_names()
                if name.startswith("lost_") and account.lost(name) != 0}
        assert not lost, f"Tally lost {lost}"
        return (Totals(*(account.total(name)
                         for name in Totals.__dataclass_fields__)),
                account.lost("failed_allocations"))


class Valgrind(Counter):
    def start(self, command):
        return [*valgrind.COMMAND, f"--log-file={self.file}", *command]

    def result(self):
        with open(self.file, encoding="utf-8", errors="replace") as file:
            text = file.read()
        found = valgrind.USAGE.search(text)
        assert found, f"Valgrind printed no summary: {text[-2000:]}"
        return (Totals(*(int(number.replace(",", ""))
                         for number in found.groups())), None)


class Shim(Counter):
    def start(self, command):
        library = os.path.join(self.libraries, "counting_shim.so")
        # Only the program itself may be counted, so env sets the variables.
        return ["env", f"COUNTING_SHIM={self.file}",
                "LD_PRELOAD=" + ":".join([library, *self.preloaded]), *command]

    def result(self):
        with open(self.file, "rb") as file:
            return Totals(*struct.unpack("<3Q", file.read(24))), None


class Witness(Tally):
    """Both in one run: the program's requests go through the shim."""

    SCRIPT = """
COUNTING_SHIM="$1"
script="$3"
if [ -n "$script" ]; then
    (unset LD_PRELOAD; eval "$script") >meanwhile.log 2>&1 &
fi
export COUNTING_SHIM LD_PRELOAD="$2:$LD_PRELOAD"
shift 3
exec "$@"
"""

    def __init__(self, build, folder):
        super().__init__(build, folder)
        self.file = self.recorder.ledger("tally")
        self.shim = os.path.join(folder, "shim")
        self.meanwhile = ""  # a script

    def forget(self):
        super().forget()
        if os.path.exists(self.shim):
            os.remove(self.shim)

    def start(self, command):
        library = os.path.join(self.libraries, "witness.so")
        return super().start(["/bin/sh", "-c", self.SCRIPT, "sh", self.shim,
                              library, self.meanwhile, *command])

    def result(self):
        """Return the figures of the image that the shell executed."""
        shell = self.recorder.first("tally").reports[0]["process"]
        report, = [report
                   for report in self.recorder.children("tally").reports
                   if report["process"]["pid"] == shell["pid"]]
        lost = {name: count for name, count in report["lost"].items()
                if name.startswith("lost_") and count != 0}
        assert not lost, f"Tally lost {lost}"
        cut = list(consistency.cut_in_the_program(report))
        assert not cut, cut
        return (Totals(*(report["totals"][name]
                         for name in Totals.__dataclass_fields__)),
                report["lost"]["failed_allocations"])

    def witnessed(self):
        with open(self.shim, "rb") as file:
            return Totals(*struct.unpack("<3Q", file.read(24)))
