# SPDX-License-Identifier: Apache-2.0
"""A core dump of a crashing program: as fast as without a recorder, nearly as
large, and with the ledger.

The first test needs a core_pattern that writes a file into the program's
folder.
"""

import glob
import os
import resource
import shutil
import signal
import struct
import subprocess
import time

from harness import recording, scenario, watchdog
from harness.scenario import at_most, equal
from harness.steps import Steps

PATTERN = "/proc/sys/kernel/core_pattern"

def allow_core():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def dump(command, folder):
    """Return status, seconds, and bytes of the core on disk."""
    os.mkdir(folder)
    begin = time.monotonic()
    process = subprocess.run(command, cwd=folder, preexec_fn=allow_core,
                             env=watchdog.clean_environment(), timeout=60,
                             check=False)
    seconds = time.monotonic() - begin
    cores = glob.glob(os.path.join(folder, "core*"))
    equal(f"cores in {folder}", 1, len(cores))
    return (process.returncode, seconds, os.stat(cores[0]).st_blocks * 512,
            cores[0])


def cut_anywhere(place, core):
    """Test a core cut anywhere: the report is refused as cut short, or
    complete if the ledger lies before the cut."""
    def report():
        return watchdog.run([place.recorder.tally, "report", "--json", core])

    whole, size = report().stdout, os.stat(core).st_size
    for part in range(39, 0, -1):
        os.truncate(core, size * part // 40)
        outcome = report()
        equal(f"{part}/40 of it", True, outcome.stdout == whole
              if outcome.status == 0
              else b"truncated core dump" in outcome.stderr)


def core_dump(place):
    pattern = scenario.read_file(PATTERN).strip()
    if pattern.startswith(("|", "/")):
        raise scenario.Skip(f"cores go to {pattern}; let {PATTERN} say core")
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        raise scenario.Skip("core files are forbidden; ulimit -Hc unlimited")
    program = place.victim("dumps_core")
    status, plain_seconds, plain_size, _ = dump([program], place.file("plain"))
    equal("status of the plain run", -signal.SIGSEGV, status)
    status, seconds, size, core = dump(place.recorder.command([program]),
                                 place.file("recorded"))
    equal("status of the recorded run", -signal.SIGSEGV, status)
    at_most("bytes of the core", plain_size + (4 << 20), size)
    at_most("seconds", plain_seconds + 1, seconds)
    equal("blocks", 64000, place.recorder.first().column(
        "sites", "main", "blocks_total"))
    equal("blocks in the core", 64000, of(place, core).column(
        "sites", "main", "blocks_total"))
    said = watchdog.run([place.recorder.tally, "report", core]).stdout
    equal("how it ended", True, b", killed by SIGSEGV after " in said)
    cut_anywhere(place, core)


def of(place, core):
    return recording.Account([place.recorder.report(core)])


def by_gcore(place):
    if shutil.which("gcore") is None:
        raise scenario.Skip("no gcore; scripts/install-deps test")
    with Steps(place) as steps:
        steps.do("aaff")
        subprocess.run(["gcore", "-o", place.file("core"), steps.pid],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=60, check=True)
        account = of(place, f"{place.file('core')}.{steps.pid}")
        equal("live", 140, account.column("sites", "first", "blocks_live"))
        said = watchdog.run([place.recorder.tally, "report",
                             f"{place.file('core')}.{steps.pid}"]).stdout
        equal("how it is", True, b", still running after " in said)
        steps.do("e")

def refused(place):
    """Test a core without a ledger, and a truncated one."""
    head = b"\x7fELF\2\1\1" + bytes(9) + b"\4\0\x3e\0\1\0\0\0"
    notes = struct.pack("<QQQIHHHHHHIIQQQQQQ", 0, 64, 0, 0, 64, 56, 1, 0, 0,
                        0, 4, 4, 4096, 0, 0, 100, 100, 4)
    for rest, why in (bytes(40), b"core dump without a list of mapped files"), \
            (notes, b"truncated core dump"):
        with open(place.file("core"), "wb") as file:
            file.write(head + rest)
        outcome = watchdog.run([place.recorder.tally, "report",
                                place.file("core")])
        equal("status", (2, 1), (outcome.status,
                                 len(outcome.stderr.decode().splitlines())))
        equal("why", True, why in outcome.stderr)


def from_a_pipe(place):
    outcome = watchdog.run(["sh", "-c", "printf '\\177ELF\\2\\1\\1' | "
                            f"{place.recorder.tally} report -"])
    equal("status and why", (2, True),
          (outcome.status, b"64-bit files, not pipes" in outcome.stderr))


scenario.main(core_dump, by_gcore, refused, from_a_pipe)
