/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_accounts.c - what a heap tells: of a block, of itself, of its faults
 */
#include "core/base/fault.h"
#include "core/heaps/heap_chunk.h"
#include "core/tags/charge.h"
#include "tally/port.h"

/* As errno.h of POSIX systems and of Zephyr numbers -EINVAL. */
enum { INVALID = -22 };

static tally_heap_fault_fn fault_handler;

void tally_heap_on_fault(tally_heap_fault_fn handler)
{
    __atomic_store_n(&fault_handler, handler, __ATOMIC_RELEASE);
}

static void handle(struct sys_heap *heap, const void *mem,
                   enum tally_heap_fault fault)
{
    static const char *const sentences[] = {
        [TALLY_HEAP_FOREIGN] = "a pointer that no block can have was given",
        [TALLY_HEAP_NOT_OUT] = "a block that is not out was given",
        [TALLY_HEAP_DAMAGED] = "a block's header was written over",
        [TALLY_HEAP_ALIGNMENT] = "an alignment is no power of two",
        [TALLY_HEAP_LOST] =
            "memory is given up: a list is damaged, or a region too large",
    };

    (void)mem;
    if (FAULT_IS_TOLD)
        fault_tell("heap", tally_heap_name(heap), sentences[fault]);
}

void heap_report_fault(struct sys_heap *heap, const void *mem,
                       enum tally_heap_fault fault)
{
    tally_heap_fault_fn handler =
        __atomic_load_n(&fault_handler, __ATOMIC_ACQUIRE);

    heap->faults[fault]++;
    heap_publish(heap);
    (handler == NULL ? handle : handler)(heap, mem, fault);
}

bool heap_is_alignment(struct sys_heap *heap, size_t align)
{
    if ((align & (align - 1)) == 0)
        return true;
    heap_report_fault(heap, NULL, TALLY_HEAP_ALIGNMENT);
    return false;
}

size_t sys_heap_usable_size(struct sys_heap *heap, void *mem)
{
    uint32_t unit = heap_block_unit(heap, mem);

    return unit == 0 ? 0 : chunk_room(heap, chunk_units(heap, unit));
}

bool tally_heap_block_read(struct sys_heap *heap, const void *mem,
                           struct tally_heap_block *block)
{
    uint32_t unit = heap_block_unit(heap, mem);

    *block = (struct tally_heap_block){ 0 };
    if (unit == 0)
        return false;
    *block = chunk_charge(heap, unit);
    return true;
}

void tally_heap_block_charge(struct sys_heap *heap, void *mem, uint32_t site,
                             size_t requested)
{
    uint32_t unit =
        (uint32_t)(((uintptr_t)mem - (uintptr_t)heap->base) / CHUNK_UNIT) -
        CHUNK_BY_FORM(heap, 0u, 1u);

    if (site >= CHUNK_SITE_LIMIT(heap)) {
        charge_end(site, requested); /* it could not be ended later */
        site = 0;
    }
    chunk_set_owner(
        heap, unit,
        site << CHUNK_SLACK_BITS(heap) |
            (uint32_t)(chunk_room(heap, chunk_units(heap, unit)) - requested));
}

int sys_heap_runtime_stats_get(struct sys_heap *heap,
                               struct sys_memory_stats *stats)
{
    if (heap == NULL || stats == NULL)
        return INVALID;
    stats->allocated_bytes = (size_t)heap->used * CHUNK_UNIT;
    stats->max_allocated_bytes = (size_t)heap->most * CHUNK_UNIT;
    stats->free_bytes =
        (size_t)(heap->end - heap->first - heap->used) * CHUNK_UNIT;
    return 0;
}

int sys_heap_runtime_stats_reset_max(struct sys_heap *heap)
{
    if (heap == NULL)
        return INVALID;
    heap->most = heap->used;
    heap_publish(heap);
    return 0;
}

int tally_heap_figures_get(const struct sys_heap *heap,
                           struct tally_heap_figures *figures)
{
    uint32_t spare, largest;

    if (heap == NULL || figures == NULL)
        return INVALID;
    spare = heap->end - heap->first - heap->used;
    largest = heap_list_largest(heap, heap->spare);
    *figures = (struct tally_heap_figures){
        .blocks = heap->blocks,
        .free_chunks = heap->spare,
        .refused = heap->refused,
    };
    if (largest != 0)
        figures->largest_free = chunk_room(heap, largest);
    /* Scaled so that it does not need 64 bits, which firmware divides slowly. */
    while (spare > UINT32_MAX / 1000) {
        spare /= 2;
        largest /= 2;
    }
    if (spare != 0)
        figures->fragmentation = (spare - largest) * 1000 / spare;
    for (unsigned i = 0; i < sizeof heap->faults / sizeof heap->faults[0]; i++)
        figures->faults += heap->faults[i];
    return 0;
}
