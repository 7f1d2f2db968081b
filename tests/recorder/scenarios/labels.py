# SPDX-License-Identifier: Apache-2.0
"""Blocks by label: those of take(), in every mode and without labels."""

import collections
import os

from harness import recording, scenario, watchdog
from harness.scenario import equal

NONE = {"": 10000}
NESTED = {"tenant=a": 1, "route=/x tenant=a": 2, "route=/x tenant=b": 4,
          "route=/x": 8, "": 10000 + 64 + 128}
NESTED["tenant=a"] += 16 + 32
WORKERS = {"tenant=a": 4 + 100,
           **{f"tenant=a worker={i}": 10 for i in range(4)}, **NONE}
POOL = {"tenant=a": 67, "tenant=b": 67, "tenant=c": 66, **NONE}


def name_of(site):
    return " ".join(f"{key}={value}"
                    for key, value in sorted(site.get("labels", {}).items()))


def sums(report):
    """Return the blocks allocated by take(), by label."""
    found = collections.Counter()
    for site in report["sites"]:
        if site["stack"][0]["function"] == "take":
            found[name_of(site)] += site["blocks_total"]
            equal("bytes", 1000 * site["blocks_total"], site["bytes_total"])
    return dict(found)


def report_of(place, part, *options, recorder=None):
    recorder = recorder or place.recorder
    plain = watchdog.run([place.victim("labels"), part])
    outcome = recorder.run([place.victim("labels"), part], options)
    equal("status", (0, 0), (plain.status, outcome.status))
    return recorder.report(recorder.ledger())


def are_kept(place, part, expected, *options, **settings):
    report = report_of(place, part, *options, **settings)
    equal("by label", expected, sums(report))
    equal("lost", 0, report["lost"]["lost_labels"])


def scopes_nest(place):
    are_kept(place, "nest", NESTED)


def a_key_stands_beside_another(place):
    are_kept(place, "beside", {
        "tenant=a": 3, "route=a": 6, "route=a tenant=a": 12,
        "customer=number 1": 24, "customer=number 2": 48,
        "customers=number 1": 96, "customer=number 1 customers=number 1": 192,
        **NONE})


def threads_inherit(place):
    are_kept(place, "inherit", WORKERS)


def a_pool_hands_over(place):
    are_kept(place, "pool", POOL)


def every_byte_is_a_sample(place):
    are_kept(place, "nest", NESTED, "--stacks=sampled", "--interval=1")


def maps_are_split(place):
    report = report_of(place, "map")
    found = collections.Counter()
    for site in report["maps"]:
        if "take_pages" in (frame["function"] for frame in site["stack"]):
            found[name_of(site)] += site["bytes_live"]
    equal("by label", {"tenant=a": 3 << 20, "tenant=b": 6 << 20}, dict(found))


def each_known_stack_is_followed_again(place):
    """Test with a recorder that aborts the program if a label is wrong."""
    build = os.path.join(os.path.dirname(os.path.dirname(
        place.recorder.tally)), "verify")
    for number, (part, expected) in enumerate(
            {"nest": NESTED, "inherit": WORKERS, "pool": POOL}.items()):
        folder = place.file(str(number))
        os.mkdir(folder)
        are_kept(place, part, expected,
                 recorder=recording.Recorder(build, folder))


def what_is_too_much_is_other(place):
    """Test 1,000 labels, each used twice; later ones are counted."""
    report = report_of(place, "overflow")
    found = sums(report)
    equal("labels", 1000 + 2, len(found))
    equal("each", {2}, {found[f"tenant={i}"] for i in range(1000)})
    equal("others", 200, found["tenant=other"])
    equal("counted", 200, report["lost"]["lost_labels"])


def a_child_goes_on(place):
    are_kept(place, "spread", {"tenant=a": 9, **NONE})
    child, = place.recorder.child_files()
    equal("child", {"tenant=a": 2, "tenant=child": 4, "": 0},
          sums(place.recorder.report(child)))


def odd_texts_are_cut(place):
    report = report_of(place, "odd")
    pairs = " ".join(f"{i}={i}" for i in range(1, 9))
    equal("by label", {31 * "k" + "=" + 71 * "v": 3, "end=end": 30,
                       "\n\x1b[2J=\udcff\"\\": 300, pairs: 1000, **NONE},
          {name.replace("\ufffd", "\udcff"): blocks
           for name, blocks in sums(report).items()})
    equal("counted", 1, report["lost"]["lost_labels"])
    for command in (["report", "--by=label"], ["report", "--reverse"],
                    ["export", "--to=folded"], ["export", "--to=svg"],
                    ["export", "--to=speedscope"]):
        shown = watchdog.run([place.recorder.tally, *command,
                              place.recorder.ledger()]).stdout.decode()
        assert "[2J" in shown, (command, shown)
        equal(f"raw in {command}", [], [
            letter for letter in shown if not letter.isprintable() and
            letter != "\n"])


def calls_alone_have_none(place):
    report = report_of(place, "nest", "--stacks=caller")
    equal("by label", {"": 10000 + 255}, sums(report))
    equal("notices", ["labels_refused"],
          [notice["code"] for notice in report["notices"]])


def a_trace_has_calls_alone(place):
    trace = place.file("trace")
    outcome = place.recorder.run(
        [place.victim("labels"), "nest"],
        ["--stacks=sampled", "--interval=1", "--trace=" + trace])
    equal("status", 0, outcome.status)
    sites = [site for site in place.recorder.report(trace)["sites"]
             if site["blocks_total"] >= 10000]
    equal("the largest site, and what ends too early", (1, []), (
        len(sites), [site for site in sites if site["truncated"]]))
    equal("no call is a label", [], [
        frame for site in place.recorder.report(trace)["sites"]
        for frame in site["stack"] if frame["address"] == "0x1"])


def nothing_happens_without_a_recorder(place):
    outcome = watchdog.run([place.victim("labels")])
    equal("errno and label", b"7 0\n", outcome.stdout)
    outcome = watchdog.run([place.victim("labels"), "inherit"])
    equal("label", b"0 0\n", outcome.stdout)


scenario.main(scopes_nest, a_key_stands_beside_another, threads_inherit,
              a_pool_hands_over,
              every_byte_is_a_sample, maps_are_split,
              each_known_stack_is_followed_again,
              what_is_too_much_is_other, a_child_goes_on, odd_texts_are_cut,
              calls_alone_have_none, a_trace_has_calls_alone,
              nothing_happens_without_a_recorder)
