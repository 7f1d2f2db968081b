/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_stats.c - heap and stack statistics; tally/mbed_stats.h defines them */
#include "tally/mbed_stats.h"

#include "core/accounts/engine.h"
#include "tally/port.h"
#include "tally/sys_heap.h"

/* Size and use of the heaps. */
struct heaps {
    uint64_t reserved, used, refused;
};

struct stacks {
    mbed_stats_stack_t *each;
    size_t count, capacity;
};

static uint32_t fit(uint64_t figure)
{
    return figure < UINT32_MAX ? (uint32_t)figure : UINT32_MAX;
}

static void add_sys_heaps(struct heaps *heaps)
{
    uint32_t key = tally_port_lock();

    for (struct sys_heap *heap = tally_heap_next(NULL); heap != NULL;
         heap = tally_heap_next(heap)) {
        struct sys_memory_stats stats;

        if (sys_heap_runtime_stats_get(heap, &stats) != 0)
            continue;
        heaps->used += stats.allocated_bytes;
        heaps->reserved += stats.allocated_bytes + stats.free_bytes;
        heaps->refused += heap->refused;
    }
    tally_port_unlock(key);
}

void mbed_stats_heap_get(mbed_stats_heap_t *stats)
{
    static uint32_t most;
    struct engine_totals totals = { 0 };
    struct heaps heaps = { 0 };

    engine_read_totals(&totals);
#if TALLY_HAS(OS)
    /* Not libc's own figure, which includes cached blocks and never decreases.
       If block sizes are unknown, add 16 bytes for header and rounding. */
    heaps.reserved = (uint64_t)tally_port_heap_reserved();
    heaps.used = totals.taken_bytes >= totals.live_bytes
                     ? totals.taken_bytes
                     : totals.live_bytes + 16 * totals.live_blocks;
#endif
    if (heaps.reserved == 0)
        add_sys_heaps(&heaps);
    if (fit(totals.peak_bytes) > most)
        most = fit(totals.peak_bytes);
    if (fit(totals.live_bytes) > most)
        most = fit(totals.live_bytes);
    *stats = (mbed_stats_heap_t){
        .current_size = fit(totals.live_bytes),
        .max_size = most,
        .total_size = fit(totals.total_bytes),
        .reserved_size = fit(heaps.reserved),
        .alloc_cnt = fit(totals.live_blocks),
        .alloc_fail_cnt = fit(totals.failed + heaps.refused),
        .overhead_size = heaps.used > totals.live_bytes
                             ? fit(heaps.used - totals.live_bytes)
                             : 0,
    };
}

static void add_stack(void *context, const struct tally_port_region *stack)
{
    mbed_stats_stack_t *sum = context;

    sum->max_size = fit((uint64_t)sum->max_size + stack->used);
    sum->reserved_size =
        fit((uint64_t)sum->reserved_size + stack->used + stack->unused);
    sum->stack_cnt++;
}

void mbed_stats_stack_get(mbed_stats_stack_t *stats)
{
    *stats = (mbed_stats_stack_t){ 0 };
    (void)tally_port_each_region(ZPL_STACK, add_stack, stats);
}

static void keep_stack(void *context, const struct tally_port_region *stack)
{
    struct stacks *stacks = context;

    if (stacks->count == stacks->capacity)
        return;
    stacks->each[stacks->count++] = (mbed_stats_stack_t){
        .thread_id = stack->thread,
        .max_size = fit(stack->used),
        .reserved_size = fit((uint64_t)stack->used + stack->unused),
        .stack_cnt = 1,
    };
}

size_t mbed_stats_stack_get_each(mbed_stats_stack_t *stats, size_t count)
{
    struct stacks stacks = { .each = stats, .capacity = count };

    (void)tally_port_each_region(ZPL_STACK, keep_stack, &stacks);
    return stacks.count;
}
