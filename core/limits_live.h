/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_live.h - what the process holds, for limits_set_global()
 *
 * Each thread adds to a number of its own what it allocates and frees, in usable
 * bytes; what one thread gives back of another's makes its number smaller. The sum
 * over all threads, with what there was before, is what the process holds. Threads
 * that have ended stay in the sum.
 *
 * While nobody has ever set a limit nothing is counted: limits_live_is_counted().
 */
#ifndef TALLY_CORE_LIMITS_LIVE_H
#define TALLY_CORE_LIMITS_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/limits_thread.h"

struct limits_live {
    uint32_t is_counted;         /* for good */
    uint64_t limit;              /* an int64_t: negative, there is none */
    uint64_t base;               /* held before anybody counted; an int64_t */
    struct limits_thread *first; /* all that were ever entered */
};

extern __attribute__((visibility("hidden"))) struct limits_live limits_live;

static inline bool limits_live_is_counted(void)
{
    return __atomic_load_n(&limits_live.is_counted, __ATOMIC_RELAXED) != 0;
}

/* Begin to count; `base` is what is held already. Only the first call counts. */
void limits_live_count(int64_t base);

void limits_live_limit(int64_t live_bytes);

/* The thread's number is in the sum from now on; it must never go away. */
void limits_live_enter(struct limits_thread *thread);

int64_t limits_live_read(void);

/* How much more may be held; negative: too much is. INT64_MAX: no limit. */
int64_t limits_live_room(void);

/* Whether `size` bytes more are within the limit. */
bool limits_live_admits(uint64_t size);

#endif /* TALLY_CORE_LIMITS_LIVE_H */
