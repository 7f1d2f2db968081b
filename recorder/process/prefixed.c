/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed.c - functions of allocators besides malloc; see allocators.h
 *
 * An allocator's calls of malloc, or of itself, are no second blocks: if
 * entries are patched, the depth shows them. A shared library that is bound
 * never calls back (bindings.c), so its functions may throw, or be left. A
 * block that is resized in place is one allocation and one free, as by realloc.
 */
#include "recorder/process/allocators.h"

#include <errno.h>
#include <string.h>

#include "core/base/plain_load.h"
#include "recorder/calls/observe.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/calls/recording.h"

/* Define a function that allocates. `word` is its argument besides the size;
   `inner` are its arguments made from `word` and `size`. */
#define ALLOCATE(name, parameters, arguments, word, size, inner)              \
    static void *(*other_##name)parameters;                                   \
                                                                              \
    static void *inner_##name(size_t beside_it, size_t bytes)                 \
    {                                                                         \
        void *block;                                                          \
                                                                              \
        (void)beside_it;                                                      \
        real_allocator_depth += real_allocator_is_patched;                    \
        block = other_##name inner;                                           \
        real_allocator_depth -= real_allocator_is_patched;                    \
        return block;                                                         \
    }                                                                         \
                                                                              \
    static void *prefixed_##name parameters                                   \
    {                                                                         \
        return UNLIKELY(real_allocator_depth != 0)                            \
                   ? other_##name arguments                                   \
                   : observe_aligned(inner_##name, (size_t)(word), (size), 0, \
                                     CALLER);                                 \
    }

#define ALLOCATE_LIST(X)                                                       \
    X(malloc, (size_t size), (size), 0, size, (bytes))                         \
    X(zalloc, (size_t size), (size), 0, size, (bytes))                         \
    X(malloc_small, (size_t size), (size), 0, size, (bytes))                   \
    X(zalloc_small, (size_t size), (size), 0, size, (bytes))                   \
    X(malloc_skip_new_handler, (size_t size), (size), 0, size, (bytes))        \
    X(valloc, (size_t size), (size), 0, size, (bytes))                         \
    X(pvalloc, (size_t size), (size), 0, size, (bytes))                        \
    X(memalign, (size_t alignment, size_t size), (alignment, size), alignment, \
      size, (beside_it, bytes))                                                \
    X(aligned_alloc, (size_t alignment, size_t size), (alignment, size),       \
      alignment, size, (beside_it, bytes))                                     \
    X(malloc_aligned, (size_t size, size_t alignment), (size, alignment),      \
      alignment, size, (bytes, beside_it))                                     \
    X(zalloc_aligned, (size_t size, size_t alignment), (size, alignment),      \
      alignment, size, (bytes, beside_it))                                     \
    X(mallocx, (size_t size, int flags), (size, flags), (unsigned)flags, size, \
      (bytes, (int)beside_it))                                                 \
    X(calloc, (size_t count, size_t size), (count, size), count,               \
      recording_product(count, size),                                          \
      (beside_it, bytes / (beside_it | !beside_it)))                           \
    X(mallocn, (size_t count, size_t size), (count, size), count,              \
      recording_product(count, size),                                          \
      (beside_it, bytes / (beside_it | !beside_it)))
ALLOCATE_LIST(ALLOCATE)

static int (*other_posix_memalign)(void **block, size_t alignment, size_t size);

static void *inner_posix_memalign(size_t alignment, size_t size)
{
    void *block = NULL;

    real_allocator_depth += real_allocator_is_patched;
    errno = other_posix_memalign(&block, alignment, size);
    real_allocator_depth -= real_allocator_is_patched;
    return errno == 0 ? block : NULL;
}

static int prefixed_posix_memalign(void **where, size_t alignment, size_t size)
{
    return UNLIKELY(real_allocator_depth != 0)
               ? other_posix_memalign(where, alignment, size)
               : observe_posix_memalign(inner_posix_memalign, where, alignment,
                                        size, CALLER);
}

/* Define a function that resizes; `word` and `inner` as above. */
#define RESIZE(name, parameters, arguments, word, bytes, inner)          \
    static void *(*other_##name)parameters;                              \
                                                                         \
    static void *inner_##name(void *block, size_t size, uint32_t beside) \
    {                                                                    \
        (void)beside;                                                    \
        real_allocator_depth += real_allocator_is_patched;               \
        block = other_##name inner;                                      \
        real_allocator_depth -= real_allocator_is_patched;               \
        return block;                                                    \
    }                                                                    \
                                                                         \
    static void *prefixed_##name parameters                              \
    {                                                                    \
        return UNLIKELY(real_allocator_depth != 0)                       \
                   ? other_##name arguments                              \
                   : observe_resized(inner_##name, block, bytes,         \
                                     (uint32_t)(word), CALLER);          \
    }

#define RESIZE_LIST(X)                                                      \
    X(realloc, (void *block, size_t size), (block, size), 0, size,          \
      (block, size))                                                        \
    X(reallocf, (void *block, size_t size), (block, size), 0, size,         \
      (block, size))                                                        \
    X(rezalloc, (void *block, size_t size), (block, size), 0, size,         \
      (block, size))                                                        \
    X(expand, (void *block, size_t size), (block, size), 0, size,           \
      (block, size))                                                        \
    X(rallocx, (void *block, size_t size, int flags), (block, size, flags), \
      flags, size, (block, size, (int)beside))                              \
    X(realloc_aligned, (void *block, size_t size, size_t alignment),        \
      (block, size, alignment), alignment, size, (block, size, beside))     \
    X(reallocn, (void *block, size_t count, size_t size),                   \
      (block, count, size), 0, recording_product(count, size),              \
      (block, size, 1))                                                     \
    X(reallocarray, (void *block, size_t count, size_t size),               \
      (block, count, size), 0, recording_product(count, size),              \
      (block, size, 1))                                                     \
    X(recalloc, (void *block, size_t count, size_t size),                   \
      (block, count, size), 0, recording_product(count, size),              \
      (block, size, 1))
RESIZE_LIST(RESIZE)

/* xallocx returns the block's final size: less than `size` if it is
   unchanged. */
static size_t (*other_xallocx)(void *block, size_t size, size_t extra,
                               int flags);

static void *stay(void *block, size_t size, uint32_t beside)
{
    (void)size;
    (void)beside;
    return block;
}

static size_t prefixed_xallocx(void *block, size_t size, size_t extra,
                               int flags)
{
    size_t usable, most;
    int kept = errno;

    real_allocator_depth += real_allocator_is_patched;
    usable = other_xallocx(block, size, extra, flags);
    real_allocator_depth -= real_allocator_is_patched;
    most = usable - size < extra ? usable : size + extra;
    if (LIKELY(real_allocator_depth == 0) && usable >= size)
        (void)observe_resized(stay, block, most, 0, CALLER);
    errno = kept;
    return usable;
}

#define RELEASE(name, parameters, arguments)                    \
    static void(*other_##name) parameters;                      \
                                                                \
    static void prefixed_##name parameters                      \
    {                                                           \
        if (LIKELY(real_allocator_depth == 0 && block != NULL)) \
            observe_released(block, CALLER);                    \
        real_allocator_depth += real_allocator_is_patched;      \
        other_##name arguments;                                 \
        real_allocator_depth -= real_allocator_is_patched;      \
    }

#define RELEASE_LIST(X)                                                      \
    X(free, (void *block), (block))                                          \
    X(dallocx, (void *block, int flags), (block, flags))                     \
    X(sdallocx, (void *block, size_t size, int flags), (block, size, flags)) \
    X(cfree, (void *block), (block))                                         \
    X(free_size, (void *block, size_t size), (block, size))                  \
    X(free_sized, (void *block, size_t size), (block, size))                 \
    X(free_aligned, (void *block, size_t alignment), (block, alignment))     \
    X(free_size_aligned, (void *block, size_t size, size_t alignment),       \
      (block, size, alignment))
RELEASE_LIST(RELEASE)

void *prefixed_entry(const char *name, void *code)
{
#define ROW(name) { #name, (void *)prefixed_##name, &other_##name },
    const struct {
        const char *name;
        void *entry, *other;
    } rows[] = { PREFIXED_NAMES(ROW) OPTIONAL_PREFIXED_NAMES(ROW) };
    void *other;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        memcpy(&other, rows[i].other, sizeof other);
        if (code != NULL && other != NULL && other != code)
            return NULL;
        if (code != NULL)
            memcpy(rows[i].other, &code, sizeof code);
        return rows[i].entry;
    }
    return NULL;
}
