# SPDX-License-Identifier: Apache-2.0
"""sqlite3 linked with jemalloc or tcmalloc: totals equal the allocator's.

The allocator reports requests to hooks, and jemalloc's statistics of the
thread agree; see victims/inside_sqlite.c. After attaching, tally counts frees
of older blocks separately.
"""

import os
import subprocess

from harness import scenario, watchdog
from harness.attached_program import attach, detach
from harness.scenario import Skip, equal

ALLOCATORS = ("jemalloc", "tcmalloc", "tcmalloc_minimal")
TABLE = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
STATEMENT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n " \
    "LIMIT 4000) INSERT INTO t SELECT i, printf('%0300d', i * 7919 % 4001) " \
    "FROM n; CREATE INDEX u ON t(b); SELECT count(*), sum(a), " \
    "length(group_concat(b)) FROM t WHERE b > 'x' OR a % 7 = 3;"
ANSWER = "572|1144858|172171"


class Shell:
    def __init__(self, place, allocator, *before):
        program = place.victim(f"inside_sqlite_{allocator}")
        if not os.path.exists(program):
            raise Skip(f"no libsqlite3.a or lib{allocator}.a; "
                       "scripts/install-deps test")
        self.process = subprocess.Popen(
            [*before, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=watchdog.clean_environment())

    def ask(self, statement, *answer):
        """Return the allocator's totals so far."""
        self.process.stdin.write(statement.encode() + b"\n")
        self.process.stdin.flush()
        for line in answer:
            equal("answer", line, self.line())
        return tuple(map(int, self.line().split()))

    def line(self):
        return self.process.stdout.readline().decode()[:-1]

    def end(self):
        _, err = self.process.communicate(timeout=30)
        equal(f"status, {err.decode()}", 0, self.process.returncode)


def recorded(place, allocator):
    """Test that all calls below main() are recorded, and no earlier ones are
    among them."""
    shell = Shell(place, allocator, *place.recorder.command([])[:-1])
    shell.ask(TABLE)
    allocations, _, requested = shell.ask(STATEMENT, ANSWER)
    shell.end()
    rows = [row for row in place.recorder.first().reports[0]["sites"]
            if "main" in [frame["function"] for frame in row["stack"]]]
    assert len(rows) > 30, rows
    for column, expected in (("blocks_total", allocations),
                             ("bytes_total", requested), ("blocks_live", 0)):
        equal(column, expected, sum(row[column] for row in rows))


def attached(place, allocator):
    shell = Shell(place, allocator)
    shell.ask(TABLE)
    tally, pid = place.recorder.tally, shell.process.pid
    attaching = attach(tally, pid, place.file("a"))
    before = shell.ask("?")  # the loader asks for what a library needs
    behind = shell.ask(STATEMENT, ANSWER)
    detach(tally, pid, attaching)
    after = shell.ask(STATEMENT.replace("INTO", "OR IGNORE INTO").replace(
        "INDEX", "INDEX IF NOT EXISTS"), ANSWER)
    shell.end()
    assert after[0] > behind[0] + 1000, (behind, after)
    report = place.recorder.report(place.file("a"))
    totals, lost = report["totals"], report["lost"]
    expected = tuple(now - then for then, now in zip(before, behind))
    assert expected[0] > 1000, expected
    equal("allocations, frees, bytes", expected,
          (totals["allocations"], totals["frees"] + lost["older_frees"],
           totals["bytes_allocated"]))
    equal("frees not seen", 0, lost["unseen_frees"] + lost["foreign_frees"])


def of(way, allocator):
    def step(place):
        way(place, allocator)
    step.__name__ = f"{way.__name__}_{allocator}"
    return step


scenario.main(*(of(way, allocator) for allocator in ALLOCATORS
                for way in (recorded, attached)))
