# SPDX-License-Identifier: Apache-2.0
"""What it takes to keep what each stack held over time: bytes in the ledger, by
instant and by hour, and the share of a CPU that tally record takes for all that
it does while the program runs.
"""

import os
import struct
import subprocess
import time

import measure
import tables

STACKS, CHANGES, INTERVAL_MS, SECONDS = 100000, 1000, 100, 40
MEBIBYTES_AN_HOUR = 8.0
SHARE = 0.02  # half of it for resident memory
HISTORY = 13

HEAD = ["what", "measured", "bound", "verdict"]


def history_of(path):
    """The number of instants, and the bytes of each one's run."""
    with open(path, "rb") as file:
        data = file.read()
    for entry in range(1919):
        kind, _index, offset, _size, _ = struct.unpack_from(
            "<IIQQQ", data, 4096 + 32 * entry)
        if kind == HISTORY:
            break
    count, = struct.unpack_from("<I", data, offset)
    ends = [struct.unpack_from("<4Q", data, offset + 16 + 32 * i)[2]
            for i in range(count)]
    return [end - begin for begin, end in zip([0] + ends, ends)]


def cpu_seconds(pid):
    """What a process has used until now, without those that it started."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share_of(command, folder):
    """Of a CPU, from when the stacks are there until shortly before the end."""
    with subprocess.Popen(command, cwd=folder) as process:
        time.sleep(SECONDS / 4)
        used, began = cpu_seconds(process.pid), time.monotonic()
        time.sleep(SECONDS / 2)
        share = (cpu_seconds(process.pid) - used) / (time.monotonic() - began)
        if process.wait() != 0:
            raise measure.Failure(f"{' '.join(command)}: "
                                  f"exit {process.returncode}")
    return share


def print_all(bench, _workloads):
    tables.print_title(f"The history of {STACKS:,} stacks, of which "
                       f"{CHANGES:,} change between two instants", HEAD)
    tally = os.path.join(bench.build, "bin", "tally")
    ledger = os.path.join(bench.folder, "history.tally")
    command = [tally, "record", "--quiet", "-o", ledger, "--",
               os.path.join(bench.build, "bench", "history"), str(STACKS),
               str(CHANGES), str(INTERVAL_MS), str(SECONDS)]
    share = share_of(command, bench.folder)
    runs = history_of(ledger)
    os.remove(ledger)
    later = sorted(runs[1:-1])
    changed = later[len(later) // 2]
    hour = (runs[0] + 255 * changed) / 2**20

    def row(what, measured, typical, bound):
        said = tables.verdict(typical, typical, 1.0)
        bench.verdicts.append((f"history, {what}", said))
        tables.print_row([what, measured, bound, said])

    tables.print_row(["instants", f"{len(runs)}", "", ""])
    tables.print_row(["the first", f"{runs[0]:,} bytes", "", ""])
    tables.print_row(["each later one", f"{changed:,} bytes, "
                      f"{later[0]:,} - {later[-1]:,}", "", ""])
    row("an hour: 256 instants with so much", f"{hour:.2f} MiB",
        hour / MEBIBYTES_AN_HOUR, f"{MEBIBYTES_AN_HOUR:.0f} MiB")
    row("tally record while the program runs, with all else it reads",
        f"{share:.2%} of a CPU", share / SHARE, f"{SHARE:.0%}")
