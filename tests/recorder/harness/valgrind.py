# SPDX-License-Identifier: Apache-2.0
"""Valgrind's figures: the "total heap usage" of a program's own process."""

import os
import re

from harness import watchdog

COMMAND = ["/usr/bin/valgrind", "--run-libc-freeres=no",
           "--run-cxx-freeres=no", "--child-silent-after-fork=yes"]
USAGE = re.compile(r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, "
                   r"([\d,]+) bytes allocated")
NAMES = ("allocations", "frees", "bytes_allocated")


def totals(program, folder, **settings):
    """Return allocations, frees and bytes, and the program's status."""
    log = os.path.join(folder, "valgrind.log")
    outcome = watchdog.run([*COMMAND, f"--log-file={log}", *program],
                           folder=folder, **settings)
    with open(log, encoding="utf-8", errors="replace") as file:
        found = USAGE.search(file.read())
    assert found, f"no heap usage; {outcome.stderr.decode()}"
    return dict(zip(NAMES, (int(number.replace(",", ""))
                            for number in found.groups()))), outcome


def differences(program, account, folder, **settings):
    """Yield the differences between the recording and Valgrind's figures."""
    expected, outcome = totals(program, folder, **settings)
    if outcome.status != 0:
        yield f"valgrind: status {outcome.status}; {outcome.stderr.decode()}"
    for name in NAMES:
        if expected[name] != account.total(name):
            yield f"{name}: valgrind {expected[name]}, " \
                f"recorded {account.total(name)}"
