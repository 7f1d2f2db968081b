/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_region.c - slabs in the ledger
 *
 * Nobody holds a lock when the figures are written, so whoever has written old
 * ones over newer ones must notice: it looks at the list again, behind a fence,
 * and writes until the list has stayed. Whoever changes it later writes later.
 */
#include <stddef.h>

#include "core/engine.h"
#include "core/mem_profiling.h"
#include "core/mem_slab_list.h"
#include "core/mem_slab_registry.h"
#include "core/regions.h"

#define READ(field)         __atomic_load_n(&counts->field, __ATOMIC_RELAXED)
#define WRITE(field, value) slab_store_figure(&counts->region->field, value)

void slab_publish_now(struct tally_slab_state *state)
{
    struct tally_slab_counts *counts = &state->counts;
    uint64_t size = state->block_size;
    uint64_t list;
    uint32_t frees, used;

    if (!engine_has_ledger())
        return;
    do {
        list = slab_list_load(counts);
        frees = slab_frees(counts);
        used =
            slab_used_of(TALLY_SLAB_USED_UNIT(state->num_blocks), list, frees);
        WRITE(used, used * size);
        WRITE(peak, READ(peak) * size);
        WRITE(refused, READ(refused));
        WRITE(timed_out, READ(timed_out));
        WRITE(waiting, READ(waiting));
        WRITE(longest_wait_ns, slab_load_figure(&counts->longest_wait_ns));
        WRITE(faults,
              (uint64_t)READ(faults[0]) + READ(faults[1]) + READ(faults[2]));
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    } while (slab_list_load(counts) != list || slab_frees(counts) != frees);
}

void slab_region_enter(struct tally_slab_state *state)
{
    struct ledger_region *region;

    if (!regions_are_open())
        return;
    region = engine_write_region(state->counts.region, LEDGER_REGION_SLAB,
                                 (uintptr_t)state->slab, state->name);
    if (region == NULL)
        return;
    region->size = (uint64_t)state->num_blocks * state->block_size;
    region->block_size = state->block_size;
    __atomic_store_n(&state->counts.region, region, __ATOMIC_SEQ_CST);
    slab_publish_now(state);
}

void tally_mem_slab_name_set(struct k_mem_slab *slab, const char *name)
{
    uint32_t key;

    if (slab == NULL || slab->self != slab)
        return;
    (void)mem_profiling_settle();
    key = tally_port_lock();
    __atomic_store_n(&slab->state->name, name, __ATOMIC_RELEASE);
    slab_region_enter(slab->state);
    tally_port_unlock(key);
}
