# SPDX-License-Identifier: Apache-2.0
"""Environments that look alike to a program in each counter.

A program that copies its environment allocates for each variable, and each
counter adds variables of its own. So whatever one adds, the other gets as a
variable of the same name and length, and one variable more evens out lengths
that still differ, such as that of LD_PRELOAD.
"""

PADDING = "AGREEMENT_PADDING"
LEAST = 64  # bytes; programs round the lengths of short strings up


def probe(counter, folder, variables):
    """What a program run by `counter` finds in its environment."""
    outcome = counter.run(["/usr/bin/env", "-0"], folder, variables)
    assert outcome.status == 0, outcome.stderr.decode()
    return dict(entry.split("=", 1)
                for entry in outcome.stdout.decode().split("\0") if entry)


def length(environment):
    return sum(len(name) + len(value) for name, value in environment.items())


def shape(environment):
    return sorted(environment), length(environment)


def equal(counters, folder, variables):
    """Variables for each counter, in their order, that should make all alike.

    Whether they did, a look at the shapes afterwards tells.
    """
    first = {**variables, "PWD": folder, PADDING: "x" * LEAST}
    seen = [probe(counter, folder, first) for counter in counters]
    given = []
    lengths = []
    for own in seen:
        missing = {name: value for other in seen
                   for name, value in other.items() if name not in own}
        given.append(first | missing)
        lengths.append(length(own) + length(missing))
    for mine, found in zip(given, lengths):
        mine[PADDING] += "x" * (max(lengths) - found)
    return given
