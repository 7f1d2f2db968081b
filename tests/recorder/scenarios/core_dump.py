# SPDX-License-Identifier: Apache-2.0
"""A core dump, when the program crashes, is as large and as fast as without.

Needs a core_pattern that writes a file into the folder where the program runs.
"""

import glob
import os
import resource
import signal
import subprocess
import time

from harness import scenario, watchdog
from harness.scenario import at_most, equal

PATTERN = "/proc/sys/kernel/core_pattern"

def allow_core():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def dump(command, folder):
    """Status, seconds, and bytes on disk of the core."""
    os.mkdir(folder)
    begin = time.monotonic()
    process = subprocess.run(command, cwd=folder, preexec_fn=allow_core,
                             env=watchdog.clean_environment(), timeout=60,
                             check=False)
    seconds = time.monotonic() - begin
    cores = glob.glob(os.path.join(folder, "core*"))
    equal(f"cores in {folder}", 1, len(cores))
    return process.returncode, seconds, os.stat(cores[0]).st_blocks * 512


def core_dump(place):
    pattern = scenario.read_file(PATTERN).strip()
    if pattern.startswith(("|", "/")):
        raise scenario.Skip(f"cores go to {pattern}; let {PATTERN} say core")
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        raise scenario.Skip("core files are forbidden; ulimit -Hc unlimited")
    program = place.victim("dumps_core")
    status, plain_seconds, plain_size = dump([program], place.file("plain"))
    equal("status of the plain run", -signal.SIGSEGV, status)
    status, seconds, size = dump(place.recorder.command([program]),
                                 place.file("recorded"))
    equal("status of the recorded run", -signal.SIGSEGV, status)
    at_most("bytes of the core", plain_size + (4 << 20), size)
    at_most("seconds", plain_seconds + 1, seconds)
    equal("blocks", 64000, place.recorder.first().column(
        "sites", "main", "blocks_total"))


scenario.main(core_dump)
