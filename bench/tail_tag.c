/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tail_tag.c - a preload that keeps a block's reference in the block
 *
 * The alternative to the shadow, built for comparison (shadow_against_tail).
 * Each request grows by 8 bytes; the last 8 bytes of the block hold the site
 * and the bytes left over:
 *
 *     | what the program asked for | left over | site: 32 | left over: 32 |
 *     ^ block                                           block + usable size ^
 *
 * Like the recorder, it counts allocated and freed blocks and bytes by return
 * address, without atomic instructions, in counters of its thread. It is only
 * made to be fast: it writes no file, supports neither new nor fork, and has
 * room for 16 threads and 8,192 sites. In its favour: one table, no switch, and
 * no check if it owns a block.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { SITES = 8192, THREADS = 16, TAIL = 8 };

struct tail {
    uint32_t site;
    uint32_t left_over;
};

struct counter {
    uint64_t alloc_blocks, alloc_bytes, free_blocks, free_bytes;
};

/* glibc's own functions, which the calls of a preload reach. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static uintptr_t keys[SITES];
static struct counter counters[THREADS][SITES];
static uint32_t threads_seen;
static size_t (*real_usable_size)(void *block);
static _Thread_local struct counter *own;

#define CALLER ((uintptr_t)__builtin_return_address(0))

static __attribute__((noinline)) void take_counters(void)
{
    uint32_t thread = __atomic_fetch_add(&threads_seen, 1, __ATOMIC_RELAXED);

    *(void **)&real_usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    own = counters[thread % THREADS];
}

static inline uint32_t site_of(uintptr_t caller)
{
    uint32_t site = (uint32_t)(caller % SITES);

    while (__builtin_expect(keys[site] != caller, 0)) {
        if (keys[site] == 0)
            keys[site] = caller;
        else
            site = (site + 1) % SITES;
    }
    return site;
}

static inline struct tail *tail_of(void *block, size_t usable)
{
    return (struct tail *)(void *)((char *)block + usable) - 1;
}

static inline void add(uint64_t *blocks, uint64_t *bytes, uint64_t size)
{
    __asm__ volatile("addq $1, %0\n\taddq %2, %1"
                     : "+m"(*blocks), "+m"(*bytes)
                     : "r"(size)
                     : "cc");
}

static inline void *count_alloc(void *block, size_t size, uintptr_t caller)
{
    uint32_t site = site_of(caller);
    struct counter *counter;
    size_t usable;

    if (__builtin_expect(block == NULL, 0))
        return NULL;
    if (__builtin_expect(own == NULL, 0))
        take_counters();
    usable = real_usable_size(block);
    *tail_of(block, usable) = (struct tail){ site, (uint32_t)(usable - size) };
    counter = own + site;
    add(&counter->alloc_blocks, &counter->alloc_bytes, size);
    return block;
}

static inline void count_free(void *block)
{
    struct counter *counter;
    struct tail tail;
    size_t usable;

    if (__builtin_expect(own == NULL, 0))
        take_counters();
    usable = real_usable_size(block);
    tail = *tail_of(block, usable);
    counter = own + tail.site % SITES;
    add(&counter->free_blocks, &counter->free_bytes, usable - tail.left_over);
}

void *malloc(size_t size)
{
    return count_alloc(__libc_malloc(size + TAIL), size, CALLER);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return count_alloc(__libc_calloc(1, bytes + TAIL), bytes, CALLER);
}

static inline void *resize(void *block, size_t size, uintptr_t caller)
{
    if (block != NULL)
        count_free(block);
    return count_alloc(__libc_realloc(block, size + TAIL), size, caller);
}

void *realloc(void *block, size_t size)
{
    return resize(block, size, CALLER);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return resize(block, bytes, CALLER);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = count_alloc(__libc_memalign(alignment, size + TAIL), size, CALLER);
    return *block == NULL ? ENOMEM : 0;
}

void *memalign(size_t alignment, size_t size)
{
    return count_alloc(__libc_memalign(alignment, size + TAIL), size, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return count_alloc(__libc_memalign(alignment, size + TAIL), size, CALLER);
}

void free(void *block)
{
    if (block != NULL)
        count_free(block);
    __libc_free(block);
}

/* Return the usable size for the program, which is less than libc's. */
size_t malloc_usable_size(void *block)
{
    if (block == NULL)
        return 0;
    if (own == NULL)
        take_counters();
    return real_usable_size(block) - TAIL;
}
