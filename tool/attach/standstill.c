/* SPDX-License-Identifier: Apache-2.0 */
/* standstill.c - see standstill.h */
#include "tool/attach/standstill.h"

#include <sched.h>
#include <time.h>

#include "tool/session/clock.h"

enum {
    PAUSE_NS = 1000000,
    TRACER_MS = 1000, /* a debugger stays, another tally may not */
};

struct turn {
    int policy;
    struct sched_param param;
};

/* Threads that go on would take our turn while others stand. For root alone;
   else they stand longer. */
static struct turn first_in_turn(void)
{
    struct turn before = { .policy = sched_getscheduler(0) };

    sched_getparam(0, &before.param);
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
                       &(struct sched_param){ .sched_priority = 1 });
    return before;
}

int standstill(struct tracee *tracee, int limit_ms, standstill_fn *act,
               void *context, const struct standstill_why *why,
               uint64_t *stopped_ns, struct session_failure *failure)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    uint64_t deadline = tracee_deadline(limit_ms);
    uint64_t of_tracer = tracee_deadline(TRACER_MS);

    for (;;) {
        enum standstill result = STANDSTILL_LATE;
        struct stack_words words;
        struct turn turn;
        uint64_t begin;

        stack_words_begin(&words, tracee);
        turn = first_in_turn();
        begin = clock_ns(CLOCK_MONOTONIC);
        if (tracee_stop_all(tracee, TRACEE_STOP_MS, failure) == 0)
            result = act(&words, context);
        tracee_release(tracee);
        clock_keep_longest(stopped_ns, begin);
        sched_setscheduler(0, turn.policy, &turn.param);
        stack_words_end(&words);
        if (result == STANDSTILL_DONE)
            return 0;
        if (result == STANDSTILL_REFUSED)
            return session_fail(failure, "attach: %s", why->refused);
        if (tracee_is_past(tracee->has_refused ? of_tracer : deadline))
            return result == STANDSTILL_LATE
                       ? -1
                       : session_fail(failure, "attach: %s", why->again);
        nanosleep(&pause, NULL);
    }
}
