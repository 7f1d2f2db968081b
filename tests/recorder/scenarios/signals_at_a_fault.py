# SPDX-License-Identifier: Apache-2.0
"""Obstacles that a program puts in tally record's way: signals are still
forwarded.

behind_a_fault makes tally record read memory that never arrives.
"""

import os
import signal
import subprocess

from harness import scenario, watchdog
from harness.scenario import equal


def memory_that_never_comes(place):
    tally = subprocess.Popen(
        place.recorder.command([place.victim("behind_a_fault")]),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=watchdog.clean_environment(), start_new_session=True)
    try:
        if tally.stdout.readline() != b"asked\n":
            equal("status without a userfaultfd", 77, tally.wait(timeout=60))
            raise scenario.Skip("no userfaultfd; run as root, or set "
                                "vm.unprivileged_userfaultfd=1")
        os.kill(tally.pid, signal.SIGTERM)
        equal("status", 5, tally.wait(timeout=30))
    finally:
        if tally.poll() is None:
            os.killpg(tally.pid, signal.SIGKILL)
            tally.wait()
        tally.stdout.close()
        tally.stderr.close()
    account = place.recorder.children()
    assert account is not None


scenario.main(memory_that_never_comes)
