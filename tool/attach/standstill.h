/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standstill.h - something done in a program while all its threads are stopped
 */
#pragma once

#include "tool/attach/stack_words.h"
#include "tool/attach/tracee.h"

enum standstill {
    STANDSTILL_DONE,
    STANDSTILL_REFUSED, /* it cannot be done */
    STANDSTILL_AGAIN,   /* not now: a thread stands in the way */
    STANDSTILL_LATE,    /* the threads did not stop; `failure` says so */
};

typedef enum standstill standstill_fn(const struct stack_words *words,
                                      void *context);

/* What is said when it is refused, and when a thread always was in the way. */
struct standstill_why {
    const char *refused, *again;
};

/*
 * Call `act` so, and again until it is done or refused, or the time is over. 0,
 * or -1 with what came of it last. In `*stopped_ns` the longest time that they
 * were stopped is kept.
 */
int standstill(struct tracee *tracee, int limit_ms, standstill_fn *act,
               void *context, const struct standstill_why *why,
               uint64_t *stopped_ns, struct session_failure *failure);
