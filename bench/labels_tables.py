# SPDX-License-Identifier: Apache-2.0
"""What tally/label.h costs: processor time of one call, the best of five."""

import os
import subprocess

import measure
import tables

HEAD = ["what", "without the recorder", "recorded", "bound", "verdict"]
ROWS = [("use", "tally_label_use()", 5.0),
        ("set", "tally_label_set(), the same text", 5.0),
        ("set_and_back", "one of 64 texts, and back", None),
        ("set_new_text", "a text that changes in place", None),
        ("pair", "malloc and free, before any label", None),
        ("pair_labelled", "malloc and free under one label", None),
        ("pair_of_64_labels", "the same with one of 64 labels each time", None)]


def times(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8",
                          check=False)
    if done.returncode != 0:
        raise measure.Failure(f"{command[0]}: status {done.returncode}")
    return dict(line.split() for line in done.stdout.splitlines())


def print_all(bench, workloads):
    tables.print_title("Labels, ns", HEAD)
    program = os.path.join(bench.build, "bench", "label_pairs")
    plain = times([program])
    recorded = times([os.path.join(bench.build, "bin", "tally"), "record",
                      "--quiet", "-o", os.path.join(bench.folder, "labels"),
                      "--", program])
    for key, what, bound in ROWS:
        value = float(recorded[key])
        bench.print_rows([[what, plain[key], recorded[key],
                           "" if bound is None else str(bound),
                           tables.verdict(value, value, bound)]])
