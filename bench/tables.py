# SPDX-License-Identifier: Apache-2.0
"""From measured runs to the rows of the tables, each with its verdict.

`results` is {mode: [value of each round]}; a round's modes ran one after the
other, so its ratios are of neighbours in time.
"""

import statistics

import workload_list as wl

MET, NOT_MET = "met", "**NOT MET**"

TIME_HEAD = ["workload", "mode", "plain", "ratio: median [lowest - highest]",
             "fastest / fastest", "bound", "verdict"]
PAIR_HEAD = ["slice", "mode", "plain", "more: median [lowest - highest]",
             "fastest - fastest", "bound", "verdict"]
MEMORY_HEAD = ["workload", "mode", "doing nothing", "plain", "heap pages",
               "recorded", "allowed", "verdict"]
COUNT_HEAD = ["workload", "mode", "plain", "ratio", "bound", "verdict"]


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(head):
    print_row(head)
    print_row(["---"] * len(head))


def print_title(title, head):
    print(f"\n### {title}\n")
    print_head(head)


def verdict(typical, best, bound):
    """Met or not by the median, with what the fastest runs say besides."""
    if bound is None:
        return ""
    if typical <= bound:
        return MET
    return NOT_MET + (" (fastest runs: met)" if best <= bound else "")


def time_rows(name, workload, results):
    plain = results[wl.PLAIN]
    for mode, seconds in results.items():
        if mode == wl.PLAIN:
            continue
        ratios = [more / less for more, less in zip(seconds, plain)]
        typical = statistics.median(ratios)
        best = min(seconds) / min(plain)
        bound = workload.bound_of(mode)
        yield [name, mode, f"{statistics.median(plain):.2f} s",
               f"{typical:.3f} [{min(ratios):.3f} - {max(ratios):.3f}]",
               f"{best:.3f}", f"{bound:.2f}" if bound else "",
               verdict(typical, best, bound)]


def pair_rows(slice_name, results):
    """Of nanoseconds for each malloc and its free."""
    plain = results[wl.PLAIN]
    for mode, ns in results.items():
        if mode == wl.PLAIN:
            continue
        more = [many - few for many, few in zip(ns, plain)]
        typical = statistics.median(more)
        best = min(ns) - min(plain)
        bound = wl.PAIR_BOUND_NS.get(mode)
        yield [f"micro, {slice_name}", mode,
               f"{statistics.median(plain):.1f} ns",
               f"{typical:+.1f} ns [{min(more):+.1f} - {max(more):+.1f}]",
               f"{best:+.1f} ns", f"+{bound:.0f} ns" if bound else "",
               verdict(typical, best, bound)]


def mib(kib):
    return f"{kib / 1024:.1f}"


def memory_rows(name, idle, results):
    """`idle` and `results` in KiB, of each round."""
    idle = statistics.median(idle)
    plain = statistics.median(results[wl.PLAIN])
    heap = max(0, plain - idle)
    for mode, factor in wl.HEAP_FACTOR.items():
        recorded = statistics.median(results[mode])
        allowed = plain - heap + heap * factor + wl.HEAP_MORE_KIB
        yield [name, mode, mib(idle), mib(plain), mib(heap), mib(recorded),
               mib(allowed), MET if recorded <= allowed else NOT_MET]


def count_rows(name, workload, results):
    """Of instructions: a verdict where a clock cannot give one."""
    plain = statistics.median(results[wl.PLAIN])
    for mode, counts in results.items():
        if mode == wl.PLAIN:
            continue
        ratio = statistics.median(counts) / plain
        bound = workload.bound_of(mode)
        if bound is not None and bound > wl.NOISE_BOUND:
            bound = None
        yield [name, mode, f"{plain / 1e6:,.0f} M", f"{ratio:.4f}",
               f"{bound:.2f}" if bound else "",
               verdict(ratio, ratio, bound)]
