# SPDX-License-Identifier: Apache-2.0
"""The victim `steps` under tally record, which obeys letters."""

import collections
import os
import signal
import subprocess

from harness import stack_tables, watchdog
from harness.recording import plain_name, this_image
from harness.scenario import equal, wait_until


class Steps:
    def __init__(self, place, *options, prefix=(), folder=None, program=None):
        self.place = place
        self.file = place.file("steps.tally")
        self.folder = folder or place.folder
        self.tally = subprocess.Popen(
            [*prefix, place.recorder.tally, "record", "-q", "-o", self.file,
             *options, "--", program or place.victim("steps")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=watchdog.clean_environment(),
            cwd=self.folder, start_new_session=True)
        self.expect(".")
        # The process that is asked is not always its parent.
        with open(f"/proc/{self.tally.pid}/task/{self.tally.pid}/children",
                  encoding="ascii") as file:
            self.pid = file.read().split()[0]

    def expect(self, answer):
        found = sorted(os.read(self.tally.stdout.fileno(), 1).decode()
                       for _ in answer)
        equal("answer", sorted(answer), found)

    def do(self, steps):
        for step in steps:
            self.tally.stdin.write(step.encode())
            self.tally.stdin.flush()
            self.expect(".:" if step == "c" else
                        "" if step in "xe" else ".")

    def run(self, *arguments, status=0, **settings):
        outcome = watchdog.run([self.place.recorder.tally, *arguments],
                               folder=self.folder, **settings)
        equal(f"status of {arguments}, {outcome.stderr.decode()}", status,
              outcome.status)
        return outcome

    def refused(self, *arguments, why, **settings):
        """Check for status 2 and one line with the reason."""
        outcome = self.run(*arguments, status=2, **settings)
        lines = outcome.stderr.decode().splitlines()
        equal(f"lines of {lines}", 1, len(lines))
        assert why in lines[0], lines[0]

    def rows(self, *arguments):
        """Return sums of the figures of stacks in --json, by function."""
        exact = [] if "--all" in arguments else this_image(arguments[-1])
        report = stack_tables.loads(self.run("report", "--json", *exact,
                                             *arguments).stdout)
        sums = {}
        for row in report["sites"]:
            name = plain_name(row["stack"][0]["function"])
            of = sums.setdefault(name, collections.Counter())
            of.update({key: value for key, value in row.items()
                       if isinstance(value, int)})
        return sums

    def close(self):
        if self.tally.poll() is None:
            self.tally.send_signal(signal.SIGCONT)
            self.tally.kill()
        try:
            os.kill(int(self.pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.tally.communicate(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def is_gone(pid):
    """Return True if it ended, even if its parent has not waited for it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def wait_for_end(pid):
    wait_until(lambda: is_gone(pid), f"the end of {pid}")
