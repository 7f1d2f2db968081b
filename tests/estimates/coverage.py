# SPDX-License-Identifier: Apache-2.0
"""How often printed intervals hold the truth, for each combination of figures.

mixture.c has the same memory in each run. Its exact recording is the truth for
recordings with different seeds, by the same commands. Prints a row for each
combination, and fails if too few intervals of one hold the truth.

usage: coverage.py BUILD MIXTURE [SEEDS]
"""

import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../fleet"))
import servers as fleet_servers  # noqa: E402
from servers import Servers  # noqa: E402

CHILDREN = 4
LEAST = 94  # percent
FEW_SEEDS, LEAST_OF_FEW = 100, 88
PAUSE = 0.5  # seconds: several data points of a history
AT_ONCE = 8  # recordings, which pause
PASSWORD = "coverage"
UNITS = ("bytes", "blocks")


class Tally:
    def __init__(self, build, db):
        self.path = os.path.join(build, "bin", "tally")
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith("TALLY_")} | {
                "no_proxy": "127.0.0.1", "LC_ALL": "C", "TALLY_DB": db,
                "TALLY_DB_PASSWORD": PASSWORD}

    def run(self, *arguments):
        done = subprocess.run(
            [self.path, *arguments], capture_output=True, check=False,
            timeout=300, env=self.environment)
        assert done.returncode == 0, (arguments, done.stderr.decode())
        return done.stdout.decode()

    def json(self, *arguments):
        return json.loads(self.run(*arguments))


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read().split()


def record(tally, mixture, folder, seed, children):
    """Record a run; return the paths of all at the first pause and at the end.
    """
    before, after = (os.path.join(folder, f"{seed}.{children}.{name}.tally")
                     for name in ("before", "after"))
    sampled = [] if seed is None else ["--stacks=sampled", "--interval=32K",
                                       f"--seed={seed * 2 + (children > 0)}"]
    with subprocess.Popen(
            [tally.path, "record", "--quiet", "-o", after, *sampled, "--",
             mixture, str(children)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=tally.environment) as running:
        assert running.stdout.read(1) == b"\0"
        root, = children_of(running.pid)
        tally.run("snapshot", "--quiet", "-o", before, root)
        for pid in children_of(root):
            os.makedirs(before + ".d", exist_ok=True)
            tally.run("snapshot", "--quiet", "-o", f"{before}.d/{pid}-0", pid)
        time.sleep(PAUSE)
        running.stdin.write(b"x")
        running.stdin.flush()
        assert running.stdout.read(1) == b"\0"
        running.stdin.write(b"x")
        running.stdin.close()
        assert running.wait(timeout=300) == 0
    return before, after


def paths_of(tally, before, after):
    """Return what stands for the files of a run, and for a time in its pause,
    of its first process and of that one's first child."""
    def pause_of(path):
        ns = tally.json("report", "--json", path)["duration_ns"]
        return f"{ns / 1e9 + PAUSE / 2:.2f}"
    paths = {"BEFORE": before, "AFTER": after, "PAUSE": pause_of(before)}
    if os.path.isdir(before + ".d"):
        child = min(os.listdir(before + ".d"),
                    key=lambda name: int(name.split("-")[0]))
        paths = {"CHILD_BEFORE": f"{before}.d/{child}",
                 "CHILD_AFTER": f"{after}.d/{child}",
                 "CHILD_PAUSE": pause_of(f"{before}.d/{child}")} | paths
    return paths


def stack_of(document, site):
    """Return a name that its stack has in each run."""
    at, frames = site["stack"], []
    while at is not None:
        frame = document["frame_table"][document["stack_table"]["frame"][at]]
        frames.append((document["strings"][frame["function"]] if
                       frame["function"] is not None else None,
                       frame["line"]))
        at = document["stack_table"]["callers"][at]
    return str((sorted(site["labels"].items()), frames))


def figures_of(member, wanted=None):
    """Yield (key, value, low, high) of what has intervals."""
    for key, (low, high) in (member.get("intervals") or {}).items():
        if wanted is None or key.endswith(wanted):
            yield key, member.get(key, member.get(key.split("_")[0])), low, high


def of_totals(document):
    for key, value, *bounds in figures_of(document["totals"]):
        yield "", key, value, bounds


def of_sites(document):
    for site in document["sites"]:
        for key, value, *bounds in figures_of(site):
            yield stack_of(document, site), key, value, bounds


def of_growth(document):
    for key, value, *bounds in figures_of(document["growth"]):
        yield "", key, value, bounds


def of_rows(document):
    for row in document["rows"]:
        for key, value, *bounds in figures_of(row):
            yield row["function"], key, value, bounds


def of_since(document):
    for where, key, value, bounds in of_sites(document):
        if key.endswith("growth"):
            yield where, key, value, bounds


def of_total_since(document):
    for key, value, *bounds in figures_of(document["totals"], "growth"):
        yield "", key, value, bounds


def of_shares(document):
    """The share that is live."""
    for site in document["sites"]:
        for unit in UNITS:
            if not site[f"{unit}_total"]:
                continue
            share = (site.get("lifetimes") or {}).get(f"survived_{unit}")
            yield (stack_of(document, site), unit,
                   site[f"{unit}_live"] / site[f"{unit}_total"],
                   [share["low"], share["high"]] if share else None)


def of_store(document):
    for row in document["rows"]:
        for key, value, *bounds in figures_of(row):
            yield row.get("call", ""), key, value, bounds


def of_blocks(document):
    for where, _, value, bounds in of_store(document):
        yield where, "blocks", value, bounds


# Name: number of children, arguments, and what is looked at. BEFORE and AFTER
# stand for files of a run; OTHER is the first process of another run.
COMBINATIONS = {
    "image": (0, "report --lifetimes AFTER", of_totals),
    "image, by function and stack": (0, "report --lifetimes AFTER", of_sites),
    "by label": (0, "report --by=label AFTER", of_sites),
    "by lifetime": (0, "report --lifetimes AFTER", of_shares),
    "tree": (CHILDREN, "report --all AFTER", of_totals),
    "tree, by function and stack": (CHILDREN, "report --all AFTER", of_sites),
    "diff of runs": (0, "diff OTHER AFTER", of_growth),
    "diff of runs, by function": (0, "diff OTHER AFTER", of_rows),
    "diff of instants": (0, "diff BEFORE AFTER", of_growth),
    "diff of instants, by function": (0, "diff BEFORE AFTER", of_rows),
    "since": (0, "report --since=BEFORE AFTER", of_total_since),
    "since, by function and stack": (0, "report --since=BEFORE AFTER",
                                     of_since),
    "between": (0, "report --between=PAUSE,end AFTER", of_growth),
    "between, by function": (0, "report --between=PAUSE,end AFTER", of_rows),
    "child": (CHILDREN, "report CHILD_AFTER", of_totals),
    "diff of a child's instants": (
        CHILDREN, "diff CHILD_BEFORE CHILD_AFTER", of_growth),
    "diff of a child's instants, by function": (
        CHILDREN, "diff CHILD_BEFORE CHILD_AFTER", of_rows),
    "since, child": (CHILDREN, "report --since=CHILD_BEFORE CHILD_AFTER",
                     of_total_since),
    "between, child": (
        CHILDREN, "report --between=CHILD_PAUSE,end CHILD_AFTER", of_growth),
    "between, child, by function": (
        CHILDREN, "report --between=CHILD_PAUSE,end CHILD_AFTER", of_rows),
    "diff of a tree's instants": (CHILDREN, "diff --all BEFORE AFTER",
                                  of_growth),
    "diff of a tree's instants, by function": (
        CHILDREN, "diff --all BEFORE AFTER", of_rows),
}
STORED = {
    "store top": ("top --by=service --service=tree", of_store),
    "store top, by stack": ("top --by=stack --service=tree", of_store),
    "store diff": ("diff --service=one", of_store),
    "store diff of a tree": ("diff --service=tree", of_store),
    "store diff of a tree, blocks": (
        "diff --value=live-blocks --service=tree", of_blocks),
}


# Total growth, and the figure whose intervals are wider.
NARROW = {"diff of instants": "image", "since": "image", "between": "image",
          "diff of a child's instants": "child", "since, child": "child",
          "between, child": "child", "diff of a tree's instants": "tree"}
TOTALS = (("", "bytes_growth"), ("", "leaked_bytes"))


def ask(tally, files, command, asked):
    """Return the answers of one command, by documents that were asked for."""
    for name, path in files.items():
        command = command.replace(name, path)
    words = command.split()
    key = tuple(words)
    if key not in asked:
        asked[key] = tally.json(*words, "--json")
    return asked[key]


def add_to_store(tally, seed, runs):
    for service, children in (("one", 0), ("tree", CHILDREN)):
        for version, path in enumerate(runs[children]):
            tally.run("store", "add", f"--service={service}{seed}",
                      f"--service-version={version}", path)


def ask_store(tally, seed):
    found = {}
    for name, (command, look) in STORED.items():
        document = tally.json("store", *(
            word + str(seed) if word.startswith("--service=") else word
            for word in command.split()), "--top=1000", "--format=json")
        found[name] = {(where, key): (value, bounds)
                       for where, key, value, bounds in look(document)}
    return found


def measure(tally, mixture, folder, seed, has_store):
    """Return by combination {(where, key): (value, bounds)} of a seed."""
    runs = {children: record(tally, mixture, folder, seed, children)
            for children in (0, CHILDREN)}
    paths = {children: paths_of(tally, *runs[children]) |
             {"OTHER": runs[CHILDREN][0]} for children in runs}
    found, asked = {}, {}
    for name, (children, command, look) in COMBINATIONS.items():
        if seed is None:
            command = command.replace("--lifetimes ", "")
        document = ask(tally, paths[children], command, asked)
        found[name] = {(where, key): (value, bounds)
                       for where, key, value, bounds in look(document)}
    if has_store:
        add_to_store(tally, seed, runs)
        found |= ask_store(tally, seed)
    for children in runs:
        for path in runs[children]:
            os.remove(path)
            shutil.rmtree(path + ".d", ignore_errors=True)
    return found


def truths(tally, mixture, folder, has_store):
    """Exact values have the keys of all; they have no intervals."""
    global figures_of
    estimated = figures_of
    def exact(member, wanted=None):
        for key, value in member.items():
            if isinstance(value, int) and (wanted is None or
                                           key.endswith(wanted)):
                yield key, value, value, value
        for unit in UNITS:
            if unit in member:
                yield f"{unit}_growth", member[unit], 0, 0
    figures_of = exact
    truth = measure(tally, mixture, folder, None, has_store)
    figures_of = estimated
    for where in ("", ", by function"):  # whenever data points were taken
        truth["between" + where] = truth["diff of instants" + where]
        truth["between, child" + where] = truth[
            "diff of a child's instants" + where]
    return truth


def count(name, found, truth, hits):
    for (where, key), (_, bounds) in found.items():
        if bounds is None:
            continue
        unit = "bytes" if "bytes" in key or key == "growth" else "blocks"
        # A row of an exact run that is not there is 0.
        true = truth.get((where, key), (0, None))[0]
        margin = 1e-9 * abs(true) + (0.5 if true > 1 or true < 0 else 1e-9)
        right = bounds[0] - margin <= true <= bounds[1] + margin
        hits[name][unit][0] += right
        hits[name][unit][1] += 1


def check_widths(widths):
    """Blocks live at both instants cancel: growth is known better than what is
    live."""
    wrong = []
    for growth, live in NARROW.items():
        ratio = sum(widths[growth]) / sum(widths[live])
        print(f"{growth}: {ratio:.2f} times as wide as what is live at the end")
        if ratio > 1:
            wrong.append(f"{growth}: wide without need")
    return wrong


def print_table(hits, seeds):
    print("| combination | intervals of bytes | right | of blocks | right |")
    print("|---|---|---|---|---|")
    wrong = []
    least = LEAST if seeds >= FEW_SEEDS else LEAST_OF_FEW
    for name, by_unit in hits.items():
        cells = []
        for unit in UNITS:
            right, all_of_them = by_unit[unit]
            share = 100 * right / all_of_them if all_of_them else None
            cells += [f"{all_of_them:,}",
                      "-" if share is None else f"{share:.1f} %"]
            if share is not None and share < least:
                wrong.append(f"{name}, {unit}: too few hold the truth")
        print(f"| {name} | {' | '.join(cells)} |")
    return wrong


def run(build, mixture, seeds, folder, servers):
    tally = Tally(build, servers.db(0) if servers else "")
    if servers:
        tally.run("store", "init")
    truth = truths(tally, mixture, folder, bool(servers))
    hits = collections.defaultdict(lambda: {unit: [0, 0] for unit in UNITS})
    widths = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(lambda seed: measure(
                tally, mixture, folder, seed, bool(servers)), range(seeds)):
            for name, figures in found.items():
                count(name, figures, truth[name], hits)
                widths[name] += [
                    bounds[1] - bounds[0] for key, (_, bounds) in
                    figures.items() if key in TOTALS]
    return print_table(hits, seeds) + check_widths(widths)


def main(build, mixture, seeds="20"):
    absent = fleet_servers.absent()
    with tempfile.TemporaryDirectory(prefix="tally-estimates-") as folder:
        if absent:
            print(f"without tally store: no {absent}; "
                  "scripts/install-deps test")
            wrong = run(build, mixture, int(seeds), folder, None)
        else:
            with Servers(os.path.join(folder, "servers"),
                         PASSWORD) as servers:
                wrong = run(build, mixture, int(seeds), folder, servers)
    for what in wrong:
        print(f"wrong: {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
