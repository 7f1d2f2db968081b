/* SPDX-License-Identifier: Apache-2.0 */
/* tagged_calls.c - calls that say what site they are charged to */
#include "recorder/tagged_calls.h"

#include "core/block_filter.h"
#include "ledger/record.h"
#include "recorder/counted.h"
#include "recorder/live_bytes.h"
#include "recorder/real_functions.h"
#include "recorder/traced.h"

/* A call without a tag is a place like any other of the program's. */
static void charge(void *block, size_t size, uint32_t site, uintptr_t caller)
{
    if (site != 0)
        record_alloc_word(block, size, record_word_of(site));
    else
        traced_record(block, size, caller);
}

void *tagged_allocate_plain(size_t alignment, size_t size, uint32_t site,
                            uintptr_t caller)
{
    bool is_told = traced_enter();
    void *block =
        alignment != 0 ? real.memalign(alignment, size) : real.malloc(size);
    const struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC,
        .result = (uintptr_t)block,
        .caller = caller,
        .size = size,
    };

    charge(block, size, site, caller);
    traced_tell(is_told, &event);
    return block;
}

/* The product is no more than there can be. */
void *tagged_allocate_zeroed_plain(size_t count, size_t size, uint32_t site,
                                   uintptr_t caller)
{
    bool is_told = traced_enter();
    void *block = real.calloc(count, size);
    const struct mem_trace_event event = {
        .op = MEM_TRACE_CALLOC,
        .result = (uintptr_t)block,
        .caller = caller,
        .count = count,
        .size = size,
    };

    charge(block, count * size, site, caller);
    traced_tell(is_told, &event);
    return block;
}

void *tagged_resize_plain(void *block, size_t size, uint32_t site,
                          uintptr_t caller)
{
    bool is_told = traced_enter();
    struct reference old = record_take(block);
    void *moved = real.realloc(block, size);
    const struct mem_trace_event event = {
        .op = MEM_TRACE_REALLOC,
        .result = (uintptr_t)moved,
        .caller = caller,
        .pointer = (uintptr_t)block,
        .size = size,
    };

    if (record_resized(block, old, moved, size))
        charge(moved, size, site, caller);
    traced_tell(is_told, &event);
    return moved;
}

static enum counted begin(size_t size)
{
    return record_is_usual() ? COUNTED_BY_NOBODY : counted_begin(size);
}

static void *check(enum counted counted, void *block, size_t size)
{
    if (block == NULL)
        return counted_failed(counted, size);
    live_bytes_change(0, block);
    return block;
}

void *tagged_allocate(size_t alignment, size_t size, uint32_t site,
                      uintptr_t caller)
{
    enum counted counted = begin(size);

    if (counted == COUNTED_IS_DUE)
        return (void *)counted_due(COUNTED_TAGGED, alignment, size, site,
                                   caller);
    return check(counted, tagged_allocate_plain(alignment, size, site, caller),
                 size);
}

void *tagged_allocate_zeroed(size_t count, size_t size, uint32_t site,
                             uintptr_t caller)
{
    enum counted counted = begin(count * size);

    if (counted == COUNTED_IS_DUE)
        return (void *)counted_due(COUNTED_TAGGED_CALLOC, count, size, site,
                                   caller);
    return check(counted,
                 tagged_allocate_zeroed_plain(count, size, site, caller),
                 count * size);
}

void *tagged_resize(void *block, size_t size, uint32_t site, uintptr_t caller)
{
    enum counted counted = COUNTED_BY_NOBODY;
    int64_t before = live_bytes_of(block);
    void *moved;

    if (!record_is_usual() && countdown_is_on())
        counted =
            block_filter_may_have(block) ? COUNTED_IS_DUE : counted_begin(size);
    if (counted == COUNTED_IS_DUE)
        return (void *)counted_due(COUNTED_TAGGED_REALLOC, (uintptr_t)block,
                                   size, site, caller);
    moved = tagged_resize_plain(block, size, site, caller);
    if (moved != NULL || size == 0) /* which is free */
        live_bytes_change(before, moved);
    return moved != NULL ? moved : counted_failed(counted, size);
}
