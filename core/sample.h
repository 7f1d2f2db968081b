/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - tell tally/memprof.h of what slabs and heaps hand out
 *
 * Report a block after it is handed out, with no lock held:
 *
 *     return sample_made(mem, bytes, TELL_CALLER) ? mem : give it back, NULL;
 *
 * with the place in the program that has called, where its call stack begins.
 * Report a block before it is given back. Firmware has no sampling.
 */
#ifndef TALLY_CORE_SAMPLE_H
#define TALLY_CORE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __STDC_HOSTED__
#include "core/countdown.h"
#include "core/memprof_calls.h"

/* One load and one branch more while nothing counts. */
static inline bool sample_is_on(void)
{
    return __builtin_expect(
        __atomic_load_n(&countdown_shared->generation, __ATOMIC_RELAXED) != 0,
        0);
}

/* False: the block is to be given back, and the allocation fails. */
static inline bool sample_made(void *block, size_t bytes, void *caller)
{
    return !sample_is_on() || block == NULL ||
           memprof_calls->made(block, bytes, caller);
}

static inline void sample_freed(void *block)
{
    if (sample_is_on() && block != NULL)
        memprof_calls->freed(block);
}

/* A block is about to be resized, and has been or not. */
struct sample_old {
    struct counted_taken taken;
    bool is_taken;
};

static inline struct sample_old sample_take(void *block)
{
    struct sample_old old = { .is_taken = false };

    if (sample_is_on() && block != NULL)
        old.is_taken = memprof_calls->take(block, &old.taken);
    return old;
}

static inline void sample_settle(const struct sample_old *old, bool is_gone)
{
    if (old->is_taken)
        memprof_calls->settle(&old->taken, is_gone);
}
#else
static inline bool sample_is_on(void)
{
    return false;
}

static inline bool sample_made(void *block, size_t bytes, void *caller)
{
    (void)block;
    (void)bytes;
    (void)caller;
    return true;
}

static inline void sample_freed(void *block)
{
    (void)block;
}

struct sample_old {
    bool is_taken;
};

static inline struct sample_old sample_take(void *block)
{
    (void)block;
    return (struct sample_old){ false };
}

static inline void sample_settle(const struct sample_old *old, bool is_gone)
{
    (void)old;
    (void)is_gone;
}
#endif

#endif /* TALLY_CORE_SAMPLE_H */
