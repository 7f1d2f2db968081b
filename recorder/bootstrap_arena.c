/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap_arena.c - a bump allocator; each block's size lies before it */
#include "recorder/bootstrap_arena.h"

#include "core/block_filter.h"

enum { SMALLEST_ALIGNMENT = 16, LARGEST_ALIGNMENT = 4096 };

_Alignas(LARGEST_ALIGNMENT) unsigned char bootstrap_arena[BOOTSTRAP_ARENA_SIZE];
static size_t used;

void *bootstrap_alloc(size_t alignment, size_t size)
{
    size_t start, end;
    size_t held = __atomic_load_n(&used, __ATOMIC_RELAXED);

    if (alignment > LARGEST_ALIGNMENT)
        return NULL;
    if (alignment < SMALLEST_ALIGNMENT)
        alignment = SMALLEST_ALIGNMENT;
    do {
        start = (held + sizeof(size_t) + alignment - 1) & ~(alignment - 1);
        if (start >= BOOTSTRAP_ARENA_SIZE ||
            size > BOOTSTRAP_ARENA_SIZE - start)
            return NULL;
        end = start + size;
    } while (!__atomic_compare_exchange_n(&used, &held, end, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    *(size_t *)(void *)(bootstrap_arena + start - sizeof(size_t)) = size;
    block_filter_keep((uintptr_t)bootstrap_arena + start);
    return bootstrap_arena + start;
}

size_t bootstrap_size(const void *block)
{
    return *(const size_t *)(const void *)((const unsigned char *)block -
                                           sizeof(size_t));
}
