/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points.c - the malloc family, replaced
 *
 * This code runs inside other people's programs: before main and after exit, in
 * every thread, in signal handlers, between fork and exec. So the program sees
 * exactly what the real allocator would have shown it, the same pointer and the
 * same errno; nothing here calls a function that may allocate; and our failures
 * are counted, but never stop the program.
 *
 * A block is recorded after it was handed out and taken out before it is given
 * back; record.h says why.
 */
#include <errno.h>

#include "recorder/calls/observe.h"
#include "recorder/calls/recording.h"

#define PROTOTYPE(type, name, parameters, ...) EXPORT type name parameters;
REAL_EARLY_LIST(PROTOTYPE)
EXPORT void *reallocarray(void *block, size_t count, size_t size);
EXPORT void free_sized(void *block, size_t size);
EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size);

void *malloc(size_t size)
{
    return LIKELY(mode_is_recording()) ? recording_malloc(size)
                                       : MODE_CALL(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    return MODE_CALL(calloc)(count, size);
}

static inline void *resize(void *block, size_t size, uintptr_t caller)
{
    uint32_t word, old_size;
    void *moved;

    if (UNLIKELY(
            !mode_is_recording() ||
            !record_take_near(block, &thread_way()->near, &word, &old_size)))
        return MODE_CALL(realloc)(block, size);
    moved = real.realloc(block, size);
    if (UNLIKELY(moved == NULL)) {
        record_resized(block,
                       (struct reference){ word & ~REFERENCE_BIT, old_size },
                       NULL, size);
        return NULL;
    }
    if (UNLIKELY(record_close_near(block, thread_way()->base, RECORD_OWN, word,
                                   old_size) == RECORD_DUE))
        record_flush_free((struct reference){ word, old_size });
    return record_alloc(moved, size, caller);
}

void *realloc(void *block, size_t size)
{
    return resize(block, size, CALLER);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    /* The block is of another allocator, which has none of its own. */
    if (UNLIKELY(!real_is_behind_us()) && real.reallocarray != NULL)
        return real.reallocarray(block, count, size);
    if (__builtin_mul_overflow(count, size, &bytes)) {
        observe_failure(&(struct mem_trace_event){
            .op = MEM_TRACE_REALLOC,
            .caller = CALLER,
            .pointer = (uintptr_t)block,
            .size = SIZE_MAX,
        });
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
    if (real.free_sized == NULL || !mode_is_recording()) {
        release(block);
        return;
    }
    record_free_slow(block);
    real.free_sized(block, size);
}

void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    if (real.free_aligned_sized == NULL || !mode_is_recording()) {
        release(block);
        return;
    }
    record_free_slow(block);
    real.free_aligned_sized(block, alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    int error;

    if (UNLIKELY(!mode_is_recording()))
        return observe_posix_memalign(block, alignment, size, CALLER);
    error = real.posix_memalign(block, alignment, size);
    record_alloc(error == 0 ? *block : NULL, size, CALLER);
    return error;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (UNLIKELY(!mode_is_recording()))
        return observe_aligned(real.aligned_alloc, alignment, size, 0, CALLER);
    return record_alloc(real.aligned_alloc(alignment, size), size, CALLER);
}

void *memalign(size_t alignment, size_t size)
{
    if (UNLIKELY(!mode_is_recording()))
        return observe_aligned(real.memalign, alignment, size, 0, CALLER);
    return record_alloc(real.memalign(alignment, size), size, CALLER);
}

void *valloc(size_t size)
{
    if (UNLIKELY(!mode_is_recording()))
        return observe_by_size(real.valloc, size, 0, CALLER);
    return record_alloc(real.valloc(size), size, CALLER);
}

void *pvalloc(size_t size)
{
    if (UNLIKELY(!mode_is_recording()))
        return observe_by_size(real.pvalloc, size, 0, CALLER);
    return record_alloc(real.pvalloc(size), size, CALLER);
}

size_t malloc_usable_size(void *block)
{
    return real.malloc_usable_size(block);
}
