# SPDX-License-Identifier: Apache-2.0
"""Environments that look alike to a program in each counter.

A program that copies its environment allocates for each variable, and each
counter adds variables of its own. So each counter gets the other's variables
with the same name and length, and one more variable evens out remaining
differences in length, such as that of LD_PRELOAD.
"""

PADDING = "AGREEMENT_PADDING"
LEAST = 64  # bytes; programs round the lengths of short strings up


def probe(counter, folder, variables):
    """Return the environment seen by a program run by `counter`."""
    outcome = counter.run(["/usr/bin/env", "-0"], folder, variables)
    assert outcome.status == 0, outcome.stderr.decode()
    return dict(entry.split("=", 1)
                for entry in outcome.stdout.decode().split("\0") if entry)


def length(environment):
    return sum(len(name) + len(value) for name, value in environment.items())


def shape(environment):
    return sorted(environment), length(environment)


def equal(counters, folder, variables):
    """Return variables for each counter, in their order, that should make all
    alike.

    A check of the shapes afterwards tells if they do.
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
