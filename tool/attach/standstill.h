/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standstill.h - something done in a program while all its threads are stopped
 */
#pragma once

#include <stddef.h>

#include "tool/attach/tracee.h"

/* Stacks by /proc/PID/maps, read before the program was stopped. */
struct stack_words {
    const struct tracee *tracee;
    struct stack_range *ranges; /* private */
    size_t count;
    uint64_t deadline; /* of the monotonic clock: then the program goes on */
};

/*
 * Return true if `is` holds for the thread's instruction pointer or for a word
 * of its used stack, or if that cannot be read, or time is over. Return false
 * for a thread that has ended or is not stopped. Leftovers of earlier calls are
 * found as well. Hundreds of threads take a few milliseconds.
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

/* Messages for a refusal, and for a thread that always was in the way. */
struct standstill_why {
    const char *refused, *again;
};

/*
 * Stop all threads and call `act`, again until it is done or refused, or the
 * time is over. No thread stands for longer than STANDSTILL_MS and what
 * stopping takes. Return 0, or -1 with the last failure set. `*stopped_ns`
 * keeps the longest stop.
 */
int standstill(struct tracee *tracee, int limit_ms, standstill_fn *act,
               void *context, const struct standstill_why *why,
               uint64_t *stopped_ns);
