/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - slabs and heaps in the ledger
 *
 * An object that is taken down is unloaded, or the program ends: only what
 * comes afterwards tells. Regions of such objects are gone at once, and kept in
 * mind until the next one is unloaded; if none is, they are there to the end.
 */
#include "core/regions.h"

#include <stddef.h>

#include "core/engine.h"
#include "core/mem_profiling.h"
#include "core/registry_memory.h"
#include "tally/port.h"

#if __STDC_HOSTED__
struct ledger_region regions_unsettled;

static bool are_open;

void regions_enter_all(void)
{
    are_open = true;
    slab_regions_enter();
    heap_regions_enter();
}

bool regions_are_open(void)
{
    if (!are_open && engine_is_recorded())
        mem_profiling_settle();
    return are_open && engine_has_ledger();
}

struct left_region {
    struct left_region *next;
    struct ledger_region *region;
    uint64_t address;
    uint64_t unloads; /* before it was left */
};

static struct left_region *left, *spare;

static void forget_unloaded(uint64_t unloads)
{
    struct left_region **link = &left;

    while (*link != NULL) {
        struct left_region *each = *link;

        if (each->unloads == unloads) {
            link = &each->next;
            continue;
        }
        *link = each->next;
        each->next = spare;
        spare = each;
    }
}

void regions_leave(struct ledger_region *region)
{
    static uint64_t last_unloads;
    uint64_t unloads = tally_port_unloads();
    struct left_region *made;

    if (region == NULL || !engine_has_ledger())
        return;
    region->is_gone = 1;
    if (unloads != last_unloads)
        forget_unloaded(unloads);
    last_unloads = unloads;
    made = spare;
    if (made != NULL)
        spare = made->next;
    else
        made = registry_memory_take(sizeof *made);
    if (made == NULL)
        return;
    *made = (struct left_region){ left, region, region->address, unloads };
    left = made;
}

/* The record may be another region's by now. */
__attribute__((destructor)) static void end_program(void)
{
    uint32_t key = tally_port_lock();

    forget_unloaded(tally_port_unloads());
    for (struct left_region *each = left; each != NULL && engine_has_ledger();
         each = each->next) {
        if (each->region->address == each->address)
            each->region->is_gone = 0;
    }
    tally_port_unlock(key);
}
#endif

bool regions_are_unloaded(const void *address)
{
    static bool is_ending;
    char module[8];

    if (address == NULL)
        return false; /* there are none in it */
    if (!tally_port_module_name(address, module, sizeof module))
        is_ending = true;
    return !is_ending;
}
