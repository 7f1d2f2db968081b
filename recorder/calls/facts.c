/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - from what this process does to its mode; see mode.h */
#include <string.h>

#include "ledger/record/record.h"
#include "ledger/shards/shadow.h"
#include "ports/posix/sandbox.h"
#include "recorder/calls/counting.h"
#include "recorder/calls/mode.h"
#include "recorder/calls/observer.h"
#include "sampling/limits/limits.h"

/* Recorded blocks that were live when they were counted, less those freed since. */
static int64_t held;

static void count_block(struct reference reference, void *context)
{
    int64_t *count = context;

    (void)reference;
    ++*count;
}

/* Recording was on at some time. */
static bool was_on;

/*
 * A thread may be about to record a block that it was given before: there may be more
 * unless this is the only one. To count them takes files that a filter may forbid.
 */
static bool holds_blocks(void)
{
    int64_t count = 0;

    if (shadow_is_empty() && (words_are_alone() || !was_on))
        return false;
    if (!words_are_alone() || sandbox_is_closed())
        return true;
    if (held <= 0) {
        shadow_walk(count_block, &count);
        held = count;
    }
    return held > 0;
}

void mode_block_freed(void)
{
    if (__atomic_sub_fetch(&held, 1, __ATOMIC_RELAXED) <= 0)
        mode_choose();
}

static struct mode_facts find_facts(uint32_t observers)
{
    uint32_t counting =
        __atomic_load_n(&process.counting.generation, __ATOMIC_SEQ_CST);
    struct mode_facts facts = {
        .is_open = __atomic_load_n(&process.base, __ATOMIC_ACQUIRE) != NULL,
        .is_idle = process.is_idle != 0,
        .is_sampled = process.is_sampled != 0,
        .is_far = !shadow_is_plain(),
        .is_observed = (observers & ~OBSERVER_BIT(live_bytes)) != 0,
        .counts_live = (observers & OBSERVER_BIT(live_bytes)) != 0,
        .has_budgets = limits_must_follow(),
        .counts_words = (counting & COUNTDOWN_WORDS) != 0,
        .counts_bytes =
            counting != 0 && (counting & COUNTDOWN_UNITS) != COUNTDOWN_WORDS,
        .is_alone = words_are_alone(),
    };

    facts.is_off = facts.is_open && !record_is_on();
    if (facts.is_off)
        facts.holds_blocks = holds_blocks();
    else
        held = 0;
    was_on |= facts.is_open && !facts.is_off;
    return facts;
}

/* A change that overtakes this one is seen at its end, and it is done again. */
void mode_choose(void)
{
    struct mode_facts facts, now;
    uint32_t observers;

    do {
        observers = observers_find();
        facts = find_facts(observers);
        if (facts.is_alone)
            countdown_nobody.countdown = 0;
        __atomic_store_n(&process.observers, observers, __ATOMIC_SEQ_CST);
        __atomic_store_n(&process.mode, mode_of(&facts), __ATOMIC_SEQ_CST);
        now = find_facts(observers_find());
    } while (memcmp(&facts, &now, sizeof facts) != 0 ||
             observers != observers_find());
}

NOINLINE void *mode_choose_off(void *block)
{
    mode_choose();
    return block;
}
