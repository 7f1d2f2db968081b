/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_region.c - slabs in the ledger
 *
 * No lock is held when the figures are written, so a thread that writes old
 * ones over newer ones must notice: it reads their source again, behind a
 * fence, and writes until the source has not changed. A thread that changes the
 * source later writes later.
 */
#include <stddef.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "core/accounts/regions.h"
#include "core/slabs/mem_slab_list.h"
#include "core/slabs/mem_slab_registry.h"

#define READ_REGION(counts)  __atomic_load_n(&(counts)->region, __ATOMIC_RELAXED)
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

/* Whether there is a record of this process's; at its first use it is made. */
static bool has_record(struct tally_slab_state *state)
{
#if __STDC_HOSTED__
    if (READ_REGION(&state->counts) == &regions_unsettled) {
        uint32_t key;

        regions_open();
        key = tally_port_lock();
        slab_region_enter(state);
        tally_port_unlock(key);
    }
#endif
    return slab_has_region(&state->counts) && engine_has_ledger();
}

void slab_publish_blocks(struct tally_slab_state *state)
{
    if (has_record(state))
        publish_used(state);
}

void slab_publish_events(struct tally_slab_state *state)
{
    if (!has_record(state))
        return;
    publish_used(state);
    publish_events(&state->counts);
}

#if __STDC_HOSTED__
void slab_region_enter(struct tally_slab_state *state)
{
    struct ledger_region *region = READ_REGION(&state->counts);
    bool is_open = regions_are_open();

    if (region == NULL || region == &regions_unsettled)
        region = mem_profiling_is_decided() ? NULL : &regions_unsettled;
    if (!is_open) {
        __atomic_store_n(&state->counts.region, region, __ATOMIC_RELAXED);
        return;
    }
    region = engine_write_region(region, LEDGER_REGION_SLAB,
                                 (uintptr_t)state->place.object, state->name);
    if (region == NULL)
        return;
    region->size = (uint64_t)state->num_blocks * state->block_size;
    region->block_size = state->block_size;
    __atomic_store_n(&state->counts.region, region, __ATOMIC_SEQ_CST);
    slab_publish_events(state);
}
#else
void slab_region_enter(struct tally_slab_state *state)
{
    (void)state;
}
#endif

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
