/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_region.c - slabs in the ledger
 *
 * Nobody holds a lock when the figures are written, so whoever has written old
 * ones over newer ones must notice: it looks at what they come from again, behind
 * a fence, and writes until that has stayed. Whoever changes it later writes
 * later.
 */
#include <stddef.h>

#include "core/engine.h"
#include "core/mem_profiling.h"
#include "core/mem_slab_list.h"
#include "core/mem_slab_registry.h"
#include "core/regions.h"

#define READ(field)          __atomic_load_n(&counts->field, __ATOMIC_RELAXED)
#define WRITE(field, value)  words_store_figure(&counts->region->field, value)
#define SETTLE(field, value) words_settle_figure(&counts->region->field, value)

static void publish_used(const struct tally_slab_state *state)
{
    const struct tally_slab_counts *counts = &state->counts;
    uint64_t size = state->block_size;
    uint64_t list;
    uint32_t frees, peak;

    do {
        list = slab_list_load(counts);
        frees = slab_frees(counts);
        peak = READ(peak);
        WRITE(peak, size * peak);
        SETTLE(used,
               size * slab_used_of(TALLY_SLAB_USED_UNIT(state->num_blocks),
                                   list, frees));
    } while (slab_list_load(counts) != list || slab_frees(counts) != frees ||
             READ(peak) != peak);
}

static void publish_events(const struct tally_slab_counts *counts)
{
    uint32_t refused, timed_out, waiting, faults;
    uint64_t longest;

    do {
        refused = READ(refused);
        timed_out = READ(timed_out);
        waiting = READ(waiting);
        faults = READ(faults[0]) + READ(faults[1]) + READ(faults[2]);
        longest = words_load_figure(&counts->longest_wait_ns);
        WRITE(refused, refused);
        WRITE(timed_out, timed_out);
        WRITE(waiting, waiting);
        WRITE(faults, faults);
        SETTLE(longest_wait_ns, longest);
    } while (READ(refused) != refused || READ(timed_out) != timed_out ||
             READ(waiting) != waiting ||
             READ(faults[0]) + READ(faults[1]) + READ(faults[2]) != faults ||
             words_load_figure(&counts->longest_wait_ns) != longest);
}

void slab_publish_blocks(const struct tally_slab_state *state)
{
    if (engine_has_ledger())
        publish_used(state);
}

void slab_publish_events(const struct tally_slab_state *state)
{
    if (!engine_has_ledger())
        return;
    publish_used(state);
    publish_events(&state->counts);
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
    slab_publish_events(state);
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
