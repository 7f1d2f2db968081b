# SPDX-License-Identifier: Apache-2.0
"""Memory of whole stacks, for any number of threads at once.

The bound is 64 MiB, 64 bytes for each stack, 32 for each stack and shard that
counted it, and the shadow, here of few blocks; 32 MiB of it are for all
caches. A stack is counted in one shard at least.
"""

from harness import scenario, watchdog
from harness.scenario import at_most

MIB = 1024  # KiB
FIXED, CACHES, SHADOW = 64 * MIB, 32 * MIB, MIB
STACK, SHARD = 64, 32
TWICE = 2  # two lines lead to each of the ways that are gone again


def own_memory(place, threads, stacks):
    """Return added KiB of the ledger, and of anonymous memory."""
    program = [place.victim("memory_of_stacks"), str(threads), str(stacks)]
    plain = watchdog.run(program, timeout=200)
    if plain.status != 0:
        raise scenario.Skip(f"{threads} threads cannot live here at once; "
                            "raise the limit of processes (ulimit -u)")
    outcome = place.recorder.run(program, timeout=200)
    scenario.equal("status", 0, outcome.status)
    before, after = ([int(word) for word in run.stdout.split()]
                     for run in (plain, outcome))
    return after[0] - before[0], after[1] - before[1]


def is_within(place, threads, stacks, counted, in_shards):
    ledger, others = own_memory(place, threads, stacks)
    what = f"{threads} threads, {stacks} stacks: KiB"
    assert ledger > counted * STACK // 1024, (what, ledger)
    at_most(what,
            FIXED + SHADOW + (counted * STACK + in_shards * SHARD) // 1024,
            ledger + others)
    return others


def of_one_thread(place):
    is_within(place, 1, 100000, 100000, 100000)


def of_a_hundred_threads(place):
    is_within(place, 100, 100000, 100000, 100000)


def of_ten_thousand_threads(place):
    """Test threads that use 20 stacks of others too: a tenth of all, in all
    shards."""
    is_within(place, 10000, 100000, 100000, 2 * 100000)


def of_caches_of_as_many(place):
    """Test few stacks, so that caches are most memory beside the ledger."""
    others = is_within(place, 10000, 4000, 4000 * TWICE, 4000 * TWICE)
    at_most("caches", CACHES + SHADOW, others)


scenario.main(of_one_thread, of_a_hundred_threads, of_ten_thousand_threads,
              of_caches_of_as_many)
