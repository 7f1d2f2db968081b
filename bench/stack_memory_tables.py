# SPDX-License-Identifier: Apache-2.0
"""The memory that whole stacks take, and of that what caches take.

A recorded run may have the plain peak, the words of the shadow for its heap (4
bytes for each 16) with the shadow's root, and a fixed amount with some for each
stack. What caches take is not told apart from the rest of the recorder's own
memory, so it is all of that which is held against their bound, in a program
with many threads whose stacks are few enough to leave them the most of it.
"""

import statistics

import ledger_counts
import measure
import tables
import workload_list as wl

FIXED_MIB = 64
STACK_BYTES, SHARD_BYTES = 64, 32
SHADOW_FACTOR = 0.25
SHADOW_ROOT_KIB = 640
CACHES_MIB = 32
ROUNDS = 1  # it is the same each time, to a hundredth

MANY = ("64", "4000", "64", "100000", "20")  # threads that meet many stacks,
FEW = (("64", "20000", "64", "4000", "20"),  # and few, for their caches
       ("10000", "100", "8", "4000", "20"))

HEAD = ["workload", "mode", "stacks", "stack, shard", "caller alone",
        "doing nothing", "plain", "recorded", "allowed", "verdict"]
CACHE_HEAD = ["program", "plain", "recorder's own memory", "caches' bound",
              "verdict"]


def row_of(bench, name, workload):
    idle = statistics.median(
        bench.peak(workload.idle, workload.environment, workload.idle_stdin,
                   bench.folder) for _ in range(ROUNDS))
    peaks = {}
    for mode in (wl.PLAIN, wl.STACKS):
        peaks[mode] = statistics.median(
            bench.run(bench.peak, workload, mode) for _ in range(ROUNDS))
    stacks, touched, cut = ledger_counts.count(bench.ledger)
    heap = max(0, peaks[wl.PLAIN] - idle)
    allowed = (peaks[wl.PLAIN] + heap * SHADOW_FACTOR + SHADOW_ROOT_KIB
               + FIXED_MIB * 1024
               + (STACK_BYTES * stacks + SHARD_BYTES * touched) / 1024)
    recorded = peaks[wl.STACKS]
    return [name, wl.STACKS, f"{stacks:,}", f"{touched:,}", f"{cut:,}",
            tables.mib(idle), tables.mib(peaks[wl.PLAIN]), tables.mib(recorded),
            tables.mib(allowed),
            tables.MET if recorded <= allowed else tables.NOT_MET]


def print_peaks(bench, workloads):
    tables.print_title("Whole stacks: peak resident memory, MiB", HEAD)
    threads = f"{bench.build}/bench/threads"
    for name, workload in {**workloads, "threads": wl.Workload(
            None, None, (threads, *MANY), (threads, "0", "0", "1"))}.items():
        try:
            bench.print_rows([row_of(bench, name, workload)])
        except measure.Failure as failure:
            bench.print_rows([[name, f"failed: {failure}"] + [""] * 7
                              + [tables.NOT_MET]])


def print_caches(bench):
    tables.print_title("Whole stacks: the recorder's own memory, without the "
                       "ledger, MiB", CACHE_HEAD)
    for arguments in FEW:
        workload = wl.Workload(
            None, None, (f"{bench.build}/bench/threads", *arguments), ())
        kib = {mode: statistics.median(
            float(bench.run(measure.user_seconds, workload, mode)[1])
            for _ in range(ROUNDS)) for mode in (wl.PLAIN, wl.STACKS)}
        own = (kib[wl.STACKS] - kib[wl.PLAIN]) / 1024
        bench.print_rows([[
            " ".join(("threads", *arguments)), tables.mib(kib[wl.PLAIN]),
            f"{own:.1f}", f"{CACHES_MIB}",
            tables.verdict(own, own, CACHES_MIB)]])


def print_all(bench, workloads):
    print_peaks(bench, workloads)
    print_caches(bench)
