/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counting.c - the countdown's carrier, and the facts that make the mode
 *
 * Counting is one of the mode's facts, and a second counting thread changes
 * another: so both are here. mode_of() makes a mode from the facts: mode.h.
 */
#include "recorder/calls/counting.h"

#include <errno.h>

#include "ledger/blocks/attach.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/shards/shadow.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/mode.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/observer.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/block_table.h"

_Thread_local struct counted_thread *counting_thread = &countdown_no_thread;

void **tally_port_thread_word(void)
{
    return (void **)&counting_thread;
}

/* Recorded blocks live when they were last counted, less those freed since. */
static int64_t held;

static void count_block(struct reference reference, void *context)
{
    int64_t *count = context;

    (void)reference;
    ++*count;
}

/* true once recording was on */
static bool was_on;

/* Return true if recorded blocks may be live. Any other thread may be about to
   record one. Counting them reads files, which a filter may forbid. */
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
        .is_patched = real_allocator_is_patched,
        .is_observed = (observers & ~OBSERVER_BIT(live_bytes)) != 0,
        .counts_live = (observers & OBSERVER_BIT(live_bytes)) != 0,
        .has_budgets = limits_must_follow(),
        .counts_words = (counting & COUNTDOWN_WORDS) != 0,
        .counts_bytes =
            counting != 0 && (counting & COUNTDOWN_UNITS) != COUNTDOWN_WORDS,
        .counts_samples = process.frees_pass != 0 &&
                          process.counting.clients == UINT32_C(1)
                                                          << COUNTDOWN_SAMPLES,
        .is_single_threaded = words_are_alone(),
    };

    facts.is_off = facts.is_open && !ledger_is_on();
    if (facts.is_off)
        facts.holds_blocks = holds_blocks();
    else
        held = 0;
    was_on |= facts.is_open && !facts.is_off;
    return facts;
}

/* Choose the mode. If a fact changed meanwhile, choose again. */
void mode_choose(void)
{
    struct mode_facts facts, now;
    uint32_t observers;

    do {
        observers = observers_find();
        facts = find_facts(observers);
        if (facts.is_single_threaded)
            countdown_no_thread.countdown = 0;
        __atomic_store_n(&process.observers, observers, __ATOMIC_SEQ_CST);
        block_filter_open(false);
        __atomic_store_n(&process.mode, mode_of(&facts), __ATOMIC_SEQ_CST);
        __atomic_store_n(&process.malloc_distance, 0, __ATOMIC_SEQ_CST);
        /* malloc_anew() may have opened it after the line above the mode. */
        block_filter_open(false);
        now = find_facts(observers_find());
    } while (memcmp(&facts, &now, sizeof facts) != 0 ||
             observers != observers_find());
}

NOINLINE void *mode_choose_off(void *block)
{
    mode_choose();
    return block;
}

static void follow_change(void)
{
    process_prepare(); /* the loader's own calls are known by their place */
    mode_choose();
}

/* Report held bytes to a keeper outside the process. */
static void report_held(uint64_t limit, uint64_t bytes)
{
    struct ledger_header *header = process.header;

    if (header == NULL)
        return;
    __atomic_store_n(&header->live_held, bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&header->live_limit, limit, __ATOMIC_RELAXED);
}

/* The words lie in a page that a fork wipes. */
struct countdown_carrier countdown_carrier = {
    .words = &process.counting,
    .changed = follow_change,
    .call_stack = call_stacks_find,
    .sees_malloc = real_is_behind_us,
    .is_own_stack = call_stacks_is_own,
    .holds = report_held,
    .setting = tally_port_environment,
};

enum counting counting_pass_slow(size_t size)
{
    enum mode mode = mode_now();
    uint32_t generation;

    if (UNLIKELY((mode == MODE_WORDS_ONE_THREAD ||
                  mode == MODE_BYTES_ONE_THREAD ||
                  mode == MODE_SAMPLED_ONE_THREAD) &&
                 !words_are_alone()))
        mode_choose();
    generation =
        __atomic_load_n(&process.counting.generation, __ATOMIC_ACQUIRE);
    if (generation == 0)
        return COUNTING_IS_OFF;
    countdown_arm(counting_thread, generation);
    return countdown_is_in(counting_thread, generation) &&
                   countdown_pass(counting_thread, size)
               ? COUNTING_PASSED
               : COUNTING_IS_DUE;
}

NOINLINE void *counting_fail(size_t size)
{
    struct counted_thread *thread;

    if (mode_counts_failed())
        return NULL;
    countdown_unbill(counting_thread, size);
    thread = counting_wraps(size) ? countdown_thread() : NULL;
    if (thread == NULL)
        return NULL;
    thread->stack = 0; /* the last slow call may have been in an outer frame */
    if (!countdown_allows(thread, size, 0))
        errno = ENOMEM; /* not every allocator sets it */
    return NULL;
}

bool observe_live_bytes_is_on(void)
{
    return limits_live_is_counted();
}

bool observe_live_bytes_begin(const struct mem_trace_event *call, int64_t *kept)
{
    *kept = live_bytes_of(observed_pointer(call->pointer));
    return true;
}

/* A failed realloc leaves the old block; a realloc to size 0 is a free. */
void observe_live_bytes_end(const struct mem_trace_event *call, int64_t kept)
{
    if (call == NULL || (call->result == 0 && call->size != 0))
        return;
    live_bytes_add(live_bytes_of(observed_pointer(call->result)) - kept);
}
