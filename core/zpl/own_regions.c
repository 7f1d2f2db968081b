/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_regions.c - the core's heaps and slabs as regions, for ports
 *
 * Threads may remove entries: the walk is under the port's lock. Interrupts
 * remove none, so that without threads they stay enabled.
 */
#include "core/heaps/heap_chunk.h"
#include "core/slabs/mem_slab_list.h"
#include "tally/port.h"

/* A heap that is a k_heap's first field is reported as that k_heap. */
static void tell_heaps(struct tally_port_region *region,
                       tally_port_region_fn tell, void *context)
{
    const enum ledger_region_kind kind =
        region->kind == ZPL_HEAP ? LEDGER_REGION_HEAP : LEDGER_REGION_K_HEAP;
    const struct tally_heap_entry *entry = heap_registry_first();

    for (; entry != NULL; entry = heap_registry_next(entry)) {
        uint32_t used = __atomic_load_n(&entry->used, __ATOMIC_RELAXED);

        if (entry->kind != kind)
            continue;
        region->address = (uintptr_t)entry->place.object;
        region->used = (size_t)used * CHUNK_UNIT;
        region->unused = (size_t)(entry->units - used) * CHUNK_UNIT;
        region->name = entry->name;
        tell(context, region);
    }
}

static void tell_slabs(struct tally_port_region *region,
                       tally_port_region_fn tell, void *context)
{
    const struct tally_slab_state *state = slab_registry_first();

    for (; state != NULL;
         state =
             (const struct tally_slab_state *)(const void *)state->place.next) {
        uint32_t used;

        if (state->place.object == NULL)
            continue;
        used = slab_state_used(state);
        region->address = (uintptr_t)state->place.object;
        region->used = used * state->block_size;
        region->unused = (state->num_blocks - used) * state->block_size;
        region->name = __atomic_load_n(&state->name, __ATOMIC_ACQUIRE);
        tell(context, region);
    }
}

void tally_own_regions(enum zpl_memory_region kind, tally_port_region_fn tell,
                       void *context)
{
    struct tally_port_region region = { .kind = kind };
    uint32_t key = TALLY_HAS(THREADS) ? tally_port_lock() : 0;

    if (kind == ZPL_MEM_SLAB)
        tell_slabs(&region, tell, context);
    else if (kind != ZPL_STACK)
        tell_heaps(&region, tell, context);
    if (TALLY_HAS(THREADS))
        tally_port_unlock(key);
}
