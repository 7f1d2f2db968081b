/* SPDX-License-Identifier: Apache-2.0 */
/* jumps.c - see jumps.h */
#include "tool/attach/jumps.h"

#include <string.h>
#include <time.h>

#include "tool/attach/stack_words.h"
#include "tool/patch/displaced.h"
#include "tool/session/clock.h"

enum { PAUSE_NS = 1000000 };

static uint64_t way_of(const struct patch_plan *plan, uint32_t number)
{
    return plan->entry + number * (uint64_t)PATCH_CODE;
}

/* Whether something that goes on there would go on in the midst of a jump. */
static bool is_covered(uint64_t address, const void *context)
{
    const struct patch_plan *plan = context;

    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (address > entry->at && address - entry->at < entry->covered_size)
            return true;
    }
    return false;
}

/*
 * A word of a stack that is such an address can only be where a handler returns
 * to, or left over: a call's return address is behind a call, and none is
 * covered.
 */
static bool are_free(const struct stack_words *words,
                     const struct patch_plan *plan)
{
    for (size_t i = 0; i < words->tracee->count; i++) {
        if (stack_words_may_have(words, &words->tracee->threads[i], is_covered,
                                 plan))
            return false;
    }
    return true;
}

static void make_jump(const struct patch_plan *plan, uint32_t number,
                      uint8_t bytes[PATCH_JUMP])
{
    displaced_write_jump(bytes, plan->entries[number].at, way_of(plan, number));
}

/* Back to what it was, from `count` entries; false: not all of them. */
static bool restore(const struct tracee *tracee, const struct patch_plan *plan,
                    uint32_t count)
{
    bool are_written = true;

    for (uint32_t i = 0; i < count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        uint8_t jump[PATCH_JUMP], found[PATCH_JUMP];

        if (entry->covered_size == 0)
            continue;
        make_jump(plan, i, jump);
        if (tracee_read(tracee, entry->at, found, sizeof found) &&
            memcmp(found, jump, sizeof jump) == 0)
            are_written &=
                tracee_write(tracee, entry->at, entry->covered, sizeof found);
    }
    return are_written;
}

static bool write_all(const struct tracee *tracee,
                      const struct patch_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        uint8_t jump[PATCH_JUMP], found[PATCH_COVERED];

        if (entry->covered_size == 0)
            continue;
        make_jump(plan, i, jump);
        if (!tracee_read(tracee, entry->at, found, entry->covered_size) ||
            memcmp(found, entry->covered, entry->covered_size) != 0 ||
            !tracee_write(tracee, entry->at, jump, sizeof jump)) {
            (void)restore(tracee, plan, i);
            return false;
        }
    }
    return true;
}

int jumps_write(struct tracee *tracee, const struct patch_plan *plan,
                int limit_ms, uint64_t *stopped_ns,
                struct session_failure *failure)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    uint64_t deadline = tracee_deadline(limit_ms);

    for (;;) {
        bool is_stopped, is_free, is_written;
        struct stack_words words;
        uint64_t begin;

        stack_words_begin(&words, tracee);
        begin = clock_ns(CLOCK_MONOTONIC);
        is_stopped = tracee_stop_all(tracee, TRACEE_STOP_MS, failure) == 0;
        is_free = is_stopped && are_free(&words, plan);
        is_written = is_free && write_all(tracee, plan);
        tracee_release(tracee);
        clock_keep_longest(stopped_ns, begin);
        stack_words_end(&words);
        if (is_written)
            return 0;
        if (!is_stopped && tracee_is_past(deadline))
            return -1;
        if (is_free)
            return session_fail(failure,
                                "attach: the entries of the allocator are not "
                                "as in its file: another tool has patched "
                                "them; end that first");
        if (tracee_is_past(deadline))
            return session_fail(failure,
                                "attach: a thread stands all the time where a "
                                "jump must be written; try again");
        nanosleep(&pause, NULL);
    }
}

int jumps_remove(struct tracee *tracee, const struct patch_plan *plan,
                 int limit_ms, uint64_t *stopped_ns,
                 struct session_failure *failure)
{
    uint64_t deadline = tracee_deadline(limit_ms);

    for (;;) {
        uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        bool is_stopped = tracee_stop_all(tracee, TRACEE_STOP_MS, failure) == 0;
        bool is_written = is_stopped && restore(tracee, plan, plan->count);

        tracee_release(tracee);
        clock_keep_longest(stopped_ns, begin);
        if (is_written)
            return 0;
        if (is_stopped)
            return session_fail(failure,
                                "attach: the program's code cannot be written "
                                "to; its calls go on through the recorder");
        if (tracee_is_past(deadline))
            return -1;
    }
}
