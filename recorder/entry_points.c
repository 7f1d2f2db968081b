/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points.c - the malloc family, replaced
 *
 * This code runs inside other people's programs: before main and after exit, in
 * every thread, in signal handlers, between fork and exec. So:
 *
 *   R1  the program sees exactly what the real allocator would have shown it:
 *       the same pointer, the same errno
 *   R2  nothing here calls a function that may allocate
 *   R3  our failures are counted; they never stop the program
 *
 * A block is recorded after it was handed out and taken out before it is given
 * back; record.h says why.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ledger/record.h"
#include "recorder/alone_calls.h"
#include "recorder/counted.h"
#include "recorder/real_functions.h"
#include "recorder/release.h"
#include "recorder/stacks.h"
#include "recorder/traced.h"

EXPORT void *malloc(size_t size);
EXPORT void *calloc(size_t count, size_t size);
EXPORT void *realloc(void *block, size_t size);
EXPORT void *reallocarray(void *block, size_t count, size_t size);
EXPORT void free(void *block);
EXPORT void free_sized(void *block, size_t size);
EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size);
EXPORT int posix_memalign(void **block, size_t alignment, size_t size);
EXPORT void *aligned_alloc(size_t alignment, size_t size);
EXPORT void *memalign(size_t alignment, size_t size);
EXPORT void *valloc(size_t size);
EXPORT void *pvalloc(size_t size);
EXPORT size_t malloc_usable_size(void *block);

void *malloc(size_t size)
{
    void *block;

    if (UNLIKELY(!record_is_usual()))
        return record_is_nothing() ? ALONE_CALL(malloc)(size)
                                   : counted_malloc(size, CALLER);
    block = real.malloc(size);
    /* Asked for only now: what is kept over the call costs. */
    return record_alloc(block, size, CALLER);
}

void *calloc(size_t count, size_t size)
{
    if (UNLIKELY(!record_is_usual()))
        return record_is_nothing() ? ALONE_CALL(calloc)(count, size)
                                   : counted_calloc(count, size, CALLER);
    return record_alloc(real.calloc(count, size),
                        calloc_bytes(count, size, CALLER), CALLER);
}

static void *resize_slow(void *block, size_t size, uintptr_t caller)
{
    if (record_is_nothing())
        return ALONE_CALL(realloc)(block, size);
    if (LIKELY(record_is_usual()))
        return traced_resize(block, size, caller);
    return counted_realloc(block, size, caller);
}

static inline void *resize(void *block, size_t size, uintptr_t caller)
{
    char *base = thread_shard();
    uint32_t word, old_size;
    void *moved;

    if (UNLIKELY(base == NULL || !record_take_near(block, &word, &old_size)))
        return resize_slow(block, size, caller);
    moved = real.realloc(block, size);
    if (UNLIKELY(moved == NULL)) {
        record_resized(block,
                       (struct reference){ word & ~REFERENCE_BIT, old_size },
                       NULL, size);
        return NULL;
    }
    if (UNLIKELY(record_close_near(block, base, RECORD_OWN, word, old_size) ==
                 RECORD_DUE))
        record_settle_free((struct reference){ word, old_size });
    return record_alloc(moved, size, caller);
}

void *realloc(void *block, size_t size)
{
    return resize(block, size, CALLER);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        traced_refusal(block, CALLER);
        record_failure();
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, bytes, CALLER);
}

void free(void *block)
{
    release(block);
}

void free_sized(void *block, size_t size)
{
    if (real.free_sized == NULL || !record_is_usual()) {
        release(block);
        return;
    }
    record_free_slow(block);
    real.free_sized(block, size);
}

void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    if (real.free_aligned_sized == NULL || !record_is_usual()) {
        release(block);
        return;
    }
    record_free_slow(block);
    real.free_aligned_sized(block, alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    int error;

    if (UNLIKELY(!record_is_usual()))
        return counted_posix_memalign(block, alignment, size, CALLER);
    error = real.posix_memalign(block, alignment, size);
    record_alloc(error == 0 ? *block : NULL, size, CALLER);
    return error;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (UNLIKELY(!record_is_usual()))
        return counted_aligned(real.aligned_alloc, alignment, size, CALLER);
    return record_alloc(real.aligned_alloc(alignment, size), size, CALLER);
}

void *memalign(size_t alignment, size_t size)
{
    if (UNLIKELY(!record_is_usual()))
        return counted_aligned(real.memalign, alignment, size, CALLER);
    return record_alloc(real.memalign(alignment, size), size, CALLER);
}

void *valloc(size_t size)
{
    if (UNLIKELY(!record_is_usual()))
        return counted_by_size(real.valloc, size, CALLER);
    return record_alloc(real.valloc(size), size, CALLER);
}

void *pvalloc(size_t size)
{
    if (UNLIKELY(!record_is_usual()))
        return counted_by_size(real.pvalloc, size, CALLER);
    return record_alloc(real.pvalloc(size), size, CALLER);
}

size_t malloc_usable_size(void *block)
{
    return real.malloc_usable_size(block);
}
