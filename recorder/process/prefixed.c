/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed.c - see prefixed.h
 *
 * What such an allocator asks of malloc, or of itself, is no second block.
 * Forms that leave a block where it is (xallocx) leave its account as it was.
 */
#include "recorder/process/prefixed.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/base/plain_load.h"
#include "recorder/calls/behind.h"
#include "recorder/calls/observe.h"
#include "recorder/calls/recording.h"

/*
 * One that allocates. `word` is what it has besides a size; `inner` are its
 * arguments made of `word` and `size`.
 */
#define ALLOCATE(name, parameters, arguments, word, size, inner)              \
    static void *(*other_##name)parameters;                                   \
                                                                              \
    static void *inner_##name(size_t beside_it, size_t bytes)                 \
    {                                                                         \
        void *block;                                                          \
                                                                              \
        (void)beside_it;                                                      \
        behind_depth++;                                                       \
        block = other_##name inner;                                           \
        behind_depth--;                                                       \
        return block;                                                         \
    }                                                                         \
                                                                              \
    static void *prefixed_##name parameters                                   \
    {                                                                         \
        return UNLIKELY(behind_depth != 0)                                    \
                   ? other_##name arguments                                   \
                   : observe_aligned(inner_##name, (size_t)(word), (size), 0, \
                                     CALLER);                                 \
    }

#define ALLOCATE_LIST(X)                                                       \
    X(malloc, (size_t size), (size), 0, size, (bytes))                         \
    X(zalloc, (size_t size), (size), 0, size, (bytes))                         \
    X(memalign, (size_t alignment, size_t size), (alignment, size), alignment, \
      size, (beside_it, bytes))                                                \
    X(aligned_alloc, (size_t alignment, size_t size), (alignment, size),       \
      alignment, size, (beside_it, bytes))                                     \
    X(malloc_aligned, (size_t size, size_t alignment), (size, alignment),      \
      alignment, size, (bytes, beside_it))                                     \
    X(zalloc_aligned, (size_t size, size_t alignment), (size, alignment),      \
      alignment, size, (bytes, beside_it))                                     \
    X(mallocx, (size_t size, int flags), (size, flags), (unsigned)flags, size, \
      (bytes, (int)beside_it))
ALLOCATE_LIST(ALLOCATE)

static void *(*other_calloc)(size_t count, size_t size);

static void *inner_calloc(size_t count, size_t bytes)
{
    void *block;

    behind_depth++;
    block = other_calloc(count, count == 0 ? 0 : bytes / count);
    behind_depth--;
    return block;
}

static void *prefixed_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (UNLIKELY(behind_depth != 0) ||
        __builtin_mul_overflow(count, size, &bytes))
        return other_calloc(count, size);
    return observe_aligned(inner_calloc, count, bytes, 0, CALLER);
}

static int (*other_posix_memalign)(void **block, size_t alignment, size_t size);

/* The error in errno; 0: there is none. */
static void *inner_posix_memalign(size_t alignment, size_t size)
{
    void *block = NULL;

    behind_depth++;
    errno = other_posix_memalign(&block, alignment, size);
    behind_depth--;
    return errno == 0 ? block : NULL;
}

static int prefixed_posix_memalign(void **where, size_t alignment, size_t size)
{
    int kept = errno, error;
    void *block;

    if (UNLIKELY(behind_depth != 0))
        return other_posix_memalign(where, alignment, size);
    block = observe_aligned(inner_posix_memalign, alignment, size, 0, CALLER);
    error = block == NULL ? errno : 0;
    errno = kept;
    if (error == 0)
        *where = block;
    return error;
}

/* One that resizes; `word` is what it has besides, and `inner` as above. */
#define RESIZE(name, parameters, arguments, word, inner)                 \
    static void *(*other_##name)parameters;                              \
                                                                         \
    static void *inner_##name(void *block, size_t size, uint32_t beside) \
    {                                                                    \
        (void)beside;                                                    \
        behind_depth++;                                                  \
        block = other_##name inner;                                      \
        behind_depth--;                                                  \
        return block;                                                    \
    }                                                                    \
                                                                         \
    static void *prefixed_##name parameters                              \
    {                                                                    \
        return UNLIKELY(behind_depth != 0)                               \
                   ? other_##name arguments                              \
                   : observe_resized(inner_##name, block, size,          \
                                     (uint32_t)(word), CALLER);          \
    }

#define RESIZE_LIST(X)                                                      \
    X(realloc, (void *block, size_t size), (block, size), 0, (block, size)) \
    X(rallocx, (void *block, size_t size, int flags), (block, size, flags), \
      flags, (block, size, (int)beside))                                    \
    X(realloc_aligned, (void *block, size_t size, size_t alignment),        \
      (block, size, alignment), alignment, (block, size, beside))
RESIZE_LIST(RESIZE)

/* One that frees. */
#define RELEASE(name, parameters, arguments)            \
    static void(*other_##name) parameters;              \
                                                        \
    static void prefixed_##name parameters              \
    {                                                   \
        if (LIKELY(behind_depth == 0 && block != NULL)) \
            observe_released(block, CALLER);            \
        behind_depth++;                                 \
        other_##name arguments;                         \
        behind_depth--;                                 \
    }

#define RELEASE_LIST(X)                                                      \
    X(free, (void *block), (block))                                          \
    X(dallocx, (void *block, int flags), (block, flags))                     \
    X(sdallocx, (void *block, size_t size, int flags), (block, size, flags)) \
    X(free_size, (void *block, size_t size), (block, size))                  \
    X(free_aligned, (void *block, size_t alignment), (block, alignment))     \
    X(free_size_aligned, (void *block, size_t size, size_t alignment),       \
      (block, size, alignment))
RELEASE_LIST(RELEASE)

void *prefixed_entry(const char *name, void *code)
{
#define ROW(name, ...) { #name, (void *)prefixed_##name, &other_##name },
    const struct {
        const char *name;
        void *entry, *other;
    } rows[] = { ALLOCATE_LIST(ROW) RESIZE_LIST(ROW) RELEASE_LIST(ROW)
                     ROW(calloc, ) ROW(posix_memalign, ) };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        if (code != NULL)
            memcpy(rows[i].other, &code, sizeof code);
        return rows[i].entry;
    }
    return NULL;
}
