# SPDX-License-Identifier: Apache-2.0
"""What tally record --overhead=1% costs: larson and redis, for half a minute.

Runs of a round follow each other: without recording, with samples so far apart
that only the countdown is left, and with the budget. Beside the processor time
is what the ledger says that recording took, and what the program took more than
without recording; both of the CPU time that there was, as the budget is.

Two runs of a server differ by more than the bound, so another run tells by perf
how much of its time the recorder's own code takes.
"""

import json
import os
import statistics
import subprocess
import time

import measure
import tables

HEAD = ["program", "recorded", "CPU", "ratio: median [lowest - highest]",
        "our code, by perf", "budget spent",
        "more, of the time that there was", "bound", "verdict"]
BOUND = 1.015
BUDGET = "--overhead=1%"
MODES = {"plain": None,
         "samples 1 TiB apart": ["--stacks=sampled", "--interval=1T"],
         BUDGET: [BUDGET]}
PERF = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4999", "-o"]
LARSON = ["2", "250000000"]
REDIS = ["-q", "-t", "set", "-c", "50", "-P", "16", "-d", "100", "-r",
         "1000000", "-n", "12000000"]


def recorded(bench, mode, command):
    if MODES[mode] is None:
        return command
    return [f"{bench.build}/bin/tally", "record", "-q", "-f", "-o",
            bench.ledger, *MODES[mode], "--", *command]


def told(bench):
    """What samples took, in percent, and of how many seconds."""
    report = subprocess.run([f"{bench.build}/bin/tally", "report", "--json",
                             bench.ledger], stdout=subprocess.PIPE, check=True)
    budget = json.loads(report.stdout)["sampling"]["budget"]
    seconds = budget["capacity_ns"] / 1e9
    return budget["cost_ns"] / 1e7 / seconds, seconds


def own_share(bench, program):
    """Of the samples of a program, in percent, those in the recorder."""
    report = subprocess.run(
        ["perf", "report", "-i", profile(bench), "--stdio", "-n", "-F",
         "sample,comm,dso"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=True, encoding="utf-8")
    counts = {words[2]: int(words[0]) for words in
              map(str.split, report.stdout.splitlines())
              if len(words) == 3 and words[1] == program}
    return counts.get("libtally-record.so", 0) * 100 / sum(counts.values())


def profile(bench):
    return os.path.join(bench.folder, "perf.data")


def larson_share(bench, mode):
    command = [f"{bench.build}/bench/larson", *LARSON]
    subprocess.run([*PERF, profile(bench), "--",
                    *recorded(bench, mode, command)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    return own_share(bench, "larson")


def larson(bench, mode):
    command = [f"{bench.build}/bench/larson", *LARSON]
    return measure.user_seconds(recorded(bench, mode, command), {}, None,
                                bench.folder)[0]


def redis_share(bench, mode):
    redis(bench, mode, [*PERF, profile(bench), "-p"])
    return own_share(bench, "redis-server")


def told_by(client, section):
    text = subprocess.run(["redis-cli", *client, "info", section], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    return dict(line.split(":", 1) for line in text.split() if ":" in line)


def redis(bench, mode, watch=()):
    """CPU seconds of the server, as it says itself."""
    path = os.path.join(bench.folder, "redis.sock")
    client = ["-s", path]
    with subprocess.Popen(
            recorded(bench, mode, ["redis-server", "--port", "0", "--save", "",
                                   "--unixsocket", path]),
            stdout=subprocess.DEVNULL, cwd=bench.folder) as server:
        for _ in range(300):
            if subprocess.run(["redis-cli", *client, "ping"], check=False,
                              capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        if watch:
            watch = [*watch, told_by(client, "server")["process_id"], "--"]
        subprocess.run([*watch, "redis-benchmark", *client, *REDIS],
                       check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL if watch else None)
        used = told_by(client, "cpu")
        subprocess.run(["redis-cli", *client, "shutdown", "nosave"],
                       check=True)
        server.wait(60)
    return float(used["used_cpu_sys"]) + float(used["used_cpu_user"])


def print_all(bench, workloads):
    del workloads
    tables.print_title("A budget of 1 %, for half a minute", HEAD)
    for name, run, share in (("larson", larson, larson_share),
                             ("redis", redis, redis_share)):
        seconds = {mode: [] for mode in MODES}
        took = {mode: [] for mode in MODES}
        for number in range(bench.rounds):
            # No mode is always the one after the longest rest.
            for mode in sorted(MODES, reverse=number % 2 == 1):
                seconds[mode].append(run(bench, mode))
                if mode == BUDGET:
                    took[mode].append(told(bench))
        for mode, options in MODES.items():
            if options is None:
                continue
            ratios = [more / less for more, less in
                      zip(seconds[mode], seconds["plain"])]
            middle = statistics.median(ratios)
            bound = BOUND if mode == BUDGET else None
            shares = [spent for spent, _ in took[mode]]
            more = [(after - before) * 100 / there for after, before, (_, there)
                    in zip(seconds[mode], seconds["plain"], took[mode])]
            bench.print_rows([[
                name, mode, f"{statistics.median(seconds['plain']):.1f} s",
                f"{middle:.3f} [{min(ratios):.3f} - {max(ratios):.3f}]",
                f"{share(bench, mode):.2f} %",
                f"{min(shares):.2f} - {max(shares):.2f} %" if shares else "",
                f"{statistics.median(more):.2f} %" if more else "",
                f"{bound:.3f}" if bound else "",
                tables.verdict(middle, min(seconds[mode])
                               / min(seconds["plain"]), bound)]])
