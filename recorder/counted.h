/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted.h - entry points while somebody counts what they allocate
 *
 * All entry points that have stepped aside come here first, and those of
 * alone_calls.h when something is due. When nobody counts (core/countdown.h) they go
 * on to traced.h. Where counting is all there is to do, the real allocator is called
 * here.
 *
 * When something is due, counted_due() does the whole call: it asks whether the
 * block may be had, calls the allocator, in the way that would have been gone
 * without counting, and tells of the block. It saves the registers that the
 * program had, so that the stack can be followed from there.
 */
#ifndef TALLY_RECORDER_COUNTED_H
#define TALLY_RECORDER_COUNTED_H

#include <stddef.h>
#include <stdint.h>

#include "core/countdown.h"
#include "core/plain_load.h"
#include "ledger/export.h"
#include "ledger/process.h"

/* The calling thread's counts. */
extern HIDDEN _Thread_local struct counted_thread *counted_own;

enum counted {
    COUNTED_BY_NOBODY,
    COUNTED_ALONE,  /* it is, and there is nothing else to do */
    COUNTED_LIVE,   /* but to count what the process holds: live_bytes.h */
    COUNTED_PASSED, /* it is, and others are to be told */
    COUNTED_IS_DUE, /* it is not: counted_due() */
};

/* Whether a call is counted and nothing else: what is not is begun anew. */
static inline __attribute__((always_inline)) bool
counted_pass_alone(size_t size)
{
    struct counted_thread *thread = counted_own;

    return LIKELY(thread->generation == PLAIN_LOAD(&process.counting.alone) &&
                  countdown_pass(thread, size));
}

enum counted counted_begin_slow(size_t size);

/* Whether the real allocator is called, and nobody told. */
static inline bool counted_is_bare(enum counted counted)
{
    return counted == COUNTED_ALONE || counted == COUNTED_LIVE;
}

static inline __attribute__((always_inline)) enum counted
counted_begin(size_t size)
{
    struct counted_thread *thread = counted_own;

    if (LIKELY(thread->generation == PLAIN_LOAD(&process.counting.alone)))
        return LIKELY(countdown_pass(thread, size)) ? COUNTED_ALONE
                                                    : COUNTED_IS_DUE;
    return counted_begin_slow(size);
}

/* There was no memory for what was counted. Returns NULL. */
void *counted_failed(enum counted counted, size_t size);

/* COUNTED_ALONE, and no more than that. */
void *counted_failed_alone(size_t size);

/* Forms of calls, and what they are given. */
enum counted_call {
    COUNTED_BY_SIZE,        /* function, size */
    COUNTED_ALIGNED,        /* function, alignment, size */
    COUNTED_NEW,            /* function, size, alignment */
    COUNTED_CALLOC,         /* count, size */
    COUNTED_REALLOC,        /* block, size */
    COUNTED_POSIX_MEMALIGN, /* where to, alignment, size */
    COUNTED_TAGGED,         /* alignment, size, site: tagged_calls.h */
    COUNTED_TAGGED_CALLOC,  /* count, size, site */
    COUNTED_TAGGED_REALLOC, /* block, size, site */
};

/* Returns what the call does. */
uintptr_t counted_due(enum counted_call call, uintptr_t a, uintptr_t b,
                      uintptr_t c, uintptr_t caller);

void *counted_malloc(size_t size, uintptr_t caller);
void *counted_by_size(void *(*allocate)(size_t size), size_t size,
                      uintptr_t caller);
void *counted_aligned(void *(*allocate)(size_t alignment, size_t size),
                      size_t alignment, size_t size, uintptr_t caller);
int counted_posix_memalign(void **block, size_t alignment, size_t size,
                           uintptr_t caller);
void *counted_calloc(size_t count, size_t size, uintptr_t caller);
void *counted_realloc(void *block, size_t size, uintptr_t caller);
void counted_free(void *block, uintptr_t caller);

#endif /* TALLY_RECORDER_COUNTED_H */
