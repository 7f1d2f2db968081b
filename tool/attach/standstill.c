/* SPDX-License-Identifier: Apache-2.0 */
/* standstill.c - see thread_calls.h */
#include "tool/attach/thread_calls.h"

#include <sched.h>

#include "tool/tables/tables.h"

enum {
    PAGE = 4096,
    MOST_STACK = 8 << 20, /* of a thread; what lies behind is not looked at */
    GROWTH = 1 << 20,     /* of the first thread's, since it was looked at */
    PAUSE_NS = 1000000,
    TRACER_MS = 1000, /* a debugger stays, another tally may not */
};

struct stack_range {
    uint64_t start, end;
};

static void list_ranges(struct stack_words *words)
{
    struct smaps maps = { .file = process_file(words->tracee->pid, "maps") };
    struct smaps_entry entry;

    while (smaps_next(&maps, &entry)) {
        if (entry.access[1] == 'w')
            ARRAY_ADD(words->ranges, words->count,
                      (struct stack_range){ entry.start, entry.end });
    }
    smaps_end(&maps);
}

/* The end of what `stack` lies in; the first thread's may have grown. 0: it is
   younger than the ranges. */
static uint64_t find_end(const struct stack_words *words, uint64_t stack)
{
    for (size_t i = 0; i < words->count; i++) {
        if (stack < words->ranges[i].end)
            return stack + GROWTH >= words->ranges[i].start
                       ? words->ranges[i].end
                       : 0;
    }
    return 0;
}

bool stack_words_may_have(const struct stack_words *words,
                          const struct tracee_thread *thread,
                          bool (*is)(uint64_t word, const void *context),
                          const void *context)
{
    uint64_t page[PAGE / sizeof(uint64_t)];
    struct user_regs_struct registers;
    uint64_t at, end;

    if (thread->has_ended || !thread->is_stopped)
        return false;
    if (tracee_is_past(words->deadline) ||
        !tracee_get_registers(thread->tid, &registers) ||
        is(registers.rip, context))
        return true;
    at = registers.rsp / sizeof page[0] * sizeof page[0];
    end = find_end(words, at);
    if (end == 0)
        return true;
    if (end > at + MOST_STACK)
        end = at + MOST_STACK;
    while (at < end) {
        size_t size = PAGE - at % PAGE;

        if (!tracee_read(words->tracee, at, page, size))
            return true;
        for (size_t i = 0; i < size / sizeof page[0]; i++) {
            if (is(page[i], context))
                return true;
        }
        at += size;
    }
    return false;
}

int standstill(struct tracee *tracee, int limit_ms, standstill_fn *act,
               void *context, const struct standstill_why *why,
               uint64_t *stopped_ns)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    uint64_t deadline = tracee_deadline(limit_ms);
    uint64_t of_tracer = tracee_deadline(TRACER_MS);
    int policy = sched_getscheduler(0);
    struct sched_param turn = { 0 };

    sched_getparam(0, &turn);
    for (;;) {
        enum standstill result = STANDSTILL_LATE;
        struct stack_words words = { .tracee = tracee };
        uint64_t begin;

        list_ranges(&words);
        /* Threads that go on would take our turn while others stand. For root
           alone; else they stand longer. */
        sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
                           &(struct sched_param){ .sched_priority = 1 });
        begin = clock_ns(CLOCK_MONOTONIC);
        if (tracee_stop_all(tracee, TRACEE_STOP_MS) == 0) {
            words.deadline = tracee_deadline(STANDSTILL_MS);
            result = act(&words, context);
            if (result == STANDSTILL_AGAIN && tracee_is_past(words.deadline)) {
                result = STANDSTILL_LATE;
                tracee_fail(tracee,
                            "cannot inspect %zu threads within %d ms; start "
                            "the program under tally record",
                            tracee->count, STANDSTILL_MS);
            }
        }
        tracee_release(tracee);
        clock_keep_longest(stopped_ns, begin);
        sched_setscheduler(0, policy, &turn);
        free(words.ranges);
        if (result == STANDSTILL_DONE)
            return 0;
        if (result == STANDSTILL_REFUSED)
            return session_fail(tracee->failure, "attach: %s", why->refused);
        if (tracee_is_past(tracee->has_refused ? of_tracer : deadline))
            return result == STANDSTILL_LATE
                       ? -1
                       : session_fail(tracee->failure, "attach: %s",
                                      why->again);
        nanosleep(&pause, NULL);
    }
}
