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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hidden.h"

enum { SAMPLE_CLIENTS = 3 };

/* What those who sample keep of one block; sampling/ fills it. */
struct sample_taken {
    void *of[SAMPLE_CLIENTS];
    uint32_t process; /* in which they keep it */
};

/* sampling/, or the copy of it in the recorder, which core does not know. */
struct sample_calls {
    bool (*made)(void *block, size_t bytes, void *caller);
    void (*freed)(void *block);
    bool (*take)(void *block, struct sample_taken *taken);
    void (*finish)(const struct sample_taken *taken, bool is_gone);
};

/* The word is 0 while nothing is sampled; else sample_calls is set. */
extern HIDDEN const uint32_t *sample_generation;
extern HIDDEN const struct sample_calls *sample_calls;

#if !__STDC_HOSTED__
#pragma weak sample_generation /* a build without optimisation asks for them */
#pragma weak sample_calls
#endif

/* One load and one branch more while nothing counts. */
static inline bool sample_is_on(void)
{
    return __STDC_HOSTED__ &&
           __builtin_expect(
               __atomic_load_n(sample_generation, __ATOMIC_RELAXED) != 0, 0);
}

/* False: the block is to be given back, and the allocation fails. */
static inline bool sample_made(void *block, size_t bytes, void *caller)
{
    return !sample_is_on() || block == NULL ||
           sample_calls->made(block, bytes, caller);
}

static inline void sample_freed(void *block)
{
    if (sample_is_on() && block != NULL)
        sample_calls->freed(block);
}

/* A block is about to be resized, and has been or not. */
struct sample_old {
    struct sample_taken taken;
    bool is_taken;
};

static inline struct sample_old sample_take(void *block)
{
    struct sample_old old = { .is_taken = false };

    if (sample_is_on() && block != NULL)
        old.is_taken = sample_calls->take(block, &old.taken);
    return old;
}

static inline void sample_finish(const struct sample_old *old, bool is_gone)
{
    if (__STDC_HOSTED__ && old->is_taken)
        sample_calls->finish(&old->taken, is_gone);
}
