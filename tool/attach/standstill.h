/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standstill.h - something done in a program while all its threads are stopped
 */
#pragma once

#include <stddef.h>

#include "tool/attach/tracee.h"

/* Where stacks lie, by /proc/PID/maps, before the program was stopped. */
struct stack_words {
    const struct tracee *tracee;
    struct stack_range *ranges; /* private */
    size_t count;
    uint64_t deadline; /* of the monotonic clock: then the program goes on */
};

/*
 * Whether `is` is true of where the thread stands, or of a word of its stack,
 * above where it is in use; true, too, where that cannot be read, or time is
 * over. A thread that has ended, or is not stopped, has none. Fast: hundreds of threads in a few
 * milliseconds. What was left over from earlier calls is found as well.
 */
bool stack_words_may_have(const struct stack_words *words,
                          const struct tracee_thread *thread,
                          bool (*is)(uint64_t word, const void *context),
                          const void *context);

enum { STANDSTILL_MS = 500 };

enum standstill {
    STANDSTILL_DONE,
    STANDSTILL_REFUSED, /* it cannot be done */
    STANDSTILL_AGAIN,   /* not now: a thread stands in the way */
    STANDSTILL_LATE,    /* the threads did not stop; it is said already */
};

typedef enum standstill standstill_fn(const struct stack_words *words,
                                      void *context);

/* What is said when it is refused, and when a thread always was in the way. */
struct standstill_why {
    const char *refused, *again;
};

/*
 * Call `act` so, and again until it is done or refused, or the time is over. No
 * thread stands for longer than STANDSTILL_MS and what stopping takes. 0,
 * or -1 with what came of it last. In `*stopped_ns` the longest time that they
 * were stopped is kept.
 */
int standstill(struct tracee *tracee, int limit_ms, standstill_fn *act,
               void *context, const struct standstill_why *why,
               uint64_t *stopped_ns);
