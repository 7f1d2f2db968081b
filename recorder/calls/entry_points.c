/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points.c - the malloc family, replaced
 *
 * This code runs inside other programs: before main and after exit, in every
 * thread, in signal handlers, between fork and exec. So the program sees
 * exactly the result of the real allocator, the same pointer and the same
 * errno; nothing here calls a function that may allocate; and our failures are
 * counted, but never stop the program.
 *
 * A block is recorded after the allocator returned it and taken out before the
 * allocator gets it back; ledger_blocks.h says why.
 */
#include "recorder/calls/observe.h"
#include "recorder/calls/recording.h"

#define PROTOTYPE(type, name, parameters, ...) EXPORT type name parameters;
REAL_EARLY_LIST(PROTOTYPE)
/* Aliases for use where the plain name would mean the executable's function. */
#define OWN(type, name, parameters, ...) \
    HIDDEN type own_##name parameters __attribute__((alias(#name)));
REAL_ALLOCATOR_LIST(OWN)
HIDDEN void own_free(void *block) __attribute__((alias("free")));
EXPORT void *reallocarray(void *block, size_t count, size_t size);
EXPORT void free_sized(void *block, size_t size);
EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size);

/*
 * Allocate in the current mode, and let later calls do so at once: malloc by
 * its distance from here, where a fork and a change of mode let it begin, and
 * frees by the filter, if they need only the allocator. If the mode changes
 * meanwhile, undo both: until then a few frees may pass. mode_choose() stores
 * the mode first and closes the filter after it, so that none stays open.
 */
static NOINLINE void *malloc_anew(size_t size)
{
    enum mode mode = mode_now();
    bool passes = mode_frees_pass(mode);

    __atomic_store_n(&process.malloc_distance,
                     (uintptr_t)mode_malloc[mode] - (uintptr_t)malloc_anew,
                     __ATOMIC_SEQ_CST);
    if (passes)
        block_filter_open(true);
    if (__atomic_load_n(&process.mode, __ATOMIC_SEQ_CST) != mode) {
        __atomic_store_n(&process.malloc_distance, 0, __ATOMIC_SEQ_CST);
        if (passes)
            block_filter_open(false);
    }
    return MODE_CALL(malloc)(size);
}

void *malloc(size_t size)
{
    uintptr_t distance = PLAIN_LOAD(&process.malloc_distance);

    return ((observe_by_size_fn *)((uintptr_t)malloc_anew + distance))(size);
}

void *calloc(size_t count, size_t size)
{
    return MODE_CALL(calloc)(count, size);
}

static inline void *resize(void *block, size_t size, uintptr_t caller)
{
    struct reference old;
    uint32_t word, old_size;
    void *moved;

    if (UNLIKELY(!mode_is_recording()))
        return MODE_CALL(realloc)(block, size);
    /* Allocators of interpreters are often a realloc alone. */
    if (block == NULL)
        return record_alloc(real.realloc(NULL, size), size, caller);
    if (UNLIKELY(!ledger_take_near(block, &thread_fast_path()->near, &word,
                                   &old_size)))
        return MODE_CALL(realloc)(block, size);
    moved = real.realloc(block, size);
    if (UNLIKELY(moved == NULL)) {
        ledger_resized(block,
                       (struct reference){ word & ~REFERENCE_BIT, old_size },
                       NULL, size);
        return NULL;
    }
    old = (struct reference){ word, old_size };
    if (size > old_size)
        ledger_space_count_grown(ledger_counter_near(word, process.base),
                                 size - old_size);
    if (UNLIKELY(ledger_add(ledger_counter_near(word, thread_fast_path()->base),
                            LEDGER_OWN_SHARD, SHARD_FREE,
                            old_size) == LEDGER_FLUSH))
        ledger_flush_free(old);
    return record_alloc(moved, size, caller);
}

void *realloc(void *block, size_t size)
{
    return resize(block, size, CALLER);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    /* The block belongs to another allocator, which has no reallocarray. */
    if (UNLIKELY(!real_is_behind_us()) && real.reallocarray != NULL)
        return real.reallocarray(block, count, size);
    return resize(block, recording_product(count, size), CALLER);
}

void free(void *block)
{
    release(block);
}

/* Not the real functions of these names: libc's may call free() by its name,
   and so come back here. */

void free_sized(void *block, size_t size)
{
    (void)size;
    release(block);
}

void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    release(block);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    int error;

    if (UNLIKELY(!mode_is_recording()))
        return observe_posix_memalign(NULL, block, alignment, size, CALLER);
    error = real.posix_memalign(block, alignment, size);
    record_alloc(error == 0 ? *block : NULL, size, CALLER);
    return error;
}

#define RARE(name, observe, parameters, ...)                       \
    void *name parameters                                          \
    {                                                              \
        if (UNLIKELY(!mode_is_recording()))                        \
            return observe(real.name, __VA_ARGS__, 0, CALLER);     \
        return record_alloc(real.name(__VA_ARGS__), size, CALLER); \
    }
RARE(aligned_alloc, observe_aligned, (size_t alignment, size_t size), alignment,
     size)
RARE(memalign, observe_aligned, (size_t alignment, size_t size), alignment,
     size)
RARE(valloc, observe_by_size, (size_t size), size)
RARE(pvalloc, observe_by_size, (size_t size), size)

size_t malloc_usable_size(void *block)
{
    return real.malloc_usable_size(block);
}
