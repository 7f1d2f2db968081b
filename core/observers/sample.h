/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - report blocks of slabs and heaps to tally/memprof.h
 *
 * Report a block after it is handed out, with no lock held:
 *
 *     return sample_made(mem, bytes, TELL_CALLER) ? mem : give it back, NULL;
 *
 * with the return address into the program, where the call stack begins. Report
 * a free before it happens. Firmware has no sampling.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hidden.h"
#include "tally/config.h"

enum { SAMPLE_CLIENTS = 3 };

/* The clients' records of one block, set by sampling/. */
struct sample_taken {
    void *of[SAMPLE_CLIENTS];
    uint32_t process; /* pid of their process */
    bool is_replaced; /* a realloc ends them */
};

/* Functions of sampling/, or of the recorder's copy of it, which core does not
   know. */
struct sample_calls {
    bool (*made)(void *block, size_t bytes, void *caller);
    void (*freed)(void *block);
    bool (*take)(void *block, struct sample_taken *taken);
    void (*finish)(const struct sample_taken *taken, bool is_gone);
};

/* The word is 0 while sampling is off; otherwise sample_calls is set. */
extern HIDDEN const uint32_t *sample_generation;
extern HIDDEN const struct sample_calls *sample_calls;

#if !TALLY_HAS(OS)
#pragma weak sample_generation /* unoptimized builds refer to them */
#pragma weak sample_calls
#endif

/* Return true if sampling is on: one load and one branch. */
static inline bool sample_is_on(void)
{
    return TALLY_HAS(OS) &&
           __builtin_expect(
               __atomic_load_n(sample_generation, __ATOMIC_RELAXED) != 0, 0);
}

/* Report a block; return false if it must be freed and the allocation fails. */
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

/* A block before it is resized, and the result of the attempt. */
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
    if (TALLY_HAS(OS) && old->is_taken)
        sample_calls->finish(&old->taken, is_gone);
}
