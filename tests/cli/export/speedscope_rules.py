#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Check a file against the rules of speedscope, and print its samples.

usage: speedscope_rules.py [FILE]
"""

import json
import sys

UNITS = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds",
         "bytes"}


def main(arguments):
    with open(arguments[0] if arguments else 0, encoding="utf-8") as file:
        document = json.load(file)
    frames = document["shared"]["frames"]
    assert document["$schema"].endswith("/file-format-schema.json")
    assert all(isinstance(frame["name"], str) for frame in frames)
    assert 0 <= document["activeProfileIndex"] < len(document["profiles"])
    for profile in document["profiles"]:
        assert profile["type"] == "sampled" and profile["unit"] in UNITS
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= frame < len(frames)
                   for sample in profile["samples"] for frame in sample)
        assert profile["startValue"] == 0
        assert profile["endValue"] == sum(profile["weights"])
        assert all(weight > 0 for weight in profile["weights"])
    active = document["profiles"][document["activeProfileIndex"]]
    print([profile["name"] for profile in document["profiles"]])
    print(active["name"], active["unit"], active["endValue"])
    for sample, weight in zip(active["samples"], active["weights"]):
        print(weight, *(frames[frame]["name"] for frame in sample))


if __name__ == "__main__":
    main(sys.argv[1:])
