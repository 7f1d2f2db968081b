/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traced.h - what entry points do when somebody is told of each allocation
 *
 * Told are the program's callback (tally/mem_trace.h) and a listener of the
 * recorder's own. As soon as there is either, all entry points step aside
 * (process_step_aside()) and come here, each with the place it was called from;
 * a first call in a new process comes here as well. Otherwise nothing of this is
 * ever asked for.
 *
 * The callback is called after the operation, under its lock, which keeps the
 * operations of others out meanwhile. The listener is called without a lock,
 * before a free and after anything else, so that no address is handed out anew
 * before it has heard that it was given back; a realloc that moves a block is
 * the exception.
 */
#ifndef TALLY_RECORDER_TRACED_H
#define TALLY_RECORDER_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mem_trace.h"
#include "format/mem_trace_event.h"
#include "ledger/modules.h"
#include "ledger/record.h"
#include "recorder/real_functions.h"
#include "recorder/stacks.h"

typedef void (*traced_listener_fn)(const struct mem_trace_event *event);

/* Have `listener` told from now on; NULL: nobody. Any thread. */
void traced_listen(traced_listener_fn listener);

void *traced_by_size(void *(*allocate)(size_t size), size_t size,
                     uintptr_t caller);
void *traced_malloc(size_t size, uintptr_t caller);
void *traced_aligned(void *(*allocate)(size_t alignment, size_t size),
                     size_t alignment, size_t size, uintptr_t caller);
int traced_posix_memalign(void **block, size_t alignment, size_t size,
                          uintptr_t caller);

/* By new: what failed is not told of, and may be tried in another way. */
void *traced_new(void *(*allocate)(size_t size, size_t alignment), size_t size,
                 size_t alignment, uintptr_t caller);
void *traced_calloc(size_t count, size_t size, uintptr_t caller);
void *traced_realloc(void *block, size_t size, uintptr_t caller);
void traced_free(void *block, uintptr_t caller);

/* A reallocarray whose product is more than there can be. */
void traced_refusal(void *block, uintptr_t caller);

/* A request that failed, without the real allocator. */
void traced_refused(const struct mem_trace_event *event);

/*
 * For operations of other forms: traced_tell() after each traced_enter(), which
 * says whether the callback is to be told.
 */
static inline bool traced_enter(void)
{
    return mem_trace_enter();
}

void traced_tell(bool is_told, const struct mem_trace_event *event);

/* record_alloc() for who has stepped aside. */
void *traced_record(void *block, size_t size, uintptr_t caller);

/* A realloc that is not on the short way, in the accounts, and not told of. */
static inline void *traced_resize(void *block, size_t size, uintptr_t caller)
{
    struct reference old = record_take(block);
    void *moved = real.realloc(block, size);

    return record_resized(block, old, moved, size)
               ? record_alloc(moved, size, caller)
               : moved;
}

/*
 * For each thread the loader makes a vector with an entry of 16 bytes for every
 * module that has thread-local words. One of them is ours, not the program's.
 */
static inline size_t calloc_bytes(size_t count, size_t size, uintptr_t caller)
{
    /* On overflow there is no block, and the size does not matter. */
    size_t bytes = count * size;

    if (UNLIKELY(size == 2 * sizeof(void *) && modules_is_loader(caller)))
        bytes -= size;
    return bytes;
}

#endif /* TALLY_RECORDER_TRACED_H */
