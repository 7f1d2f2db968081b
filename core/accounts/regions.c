/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - slabs and heaps in the ledger
 *
 * When an object is taken down, it is being unloaded, or the program ends: only
 * later events tell which. Its regions are marked gone at once, and remembered
 * until an object is unloaded; if none is, the end of the program restores
 * them.
 */
#include "core/accounts/regions.h"

#include <stddef.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "core/base/place_list.h"
#include "tally/port.h"

#if __STDC_HOSTED__
struct ledger_region regions_undecided;

bool regions_are_open(void)
{
    if (!mem_profiling_was_opened() && engine_is_recorded())
        mem_profiling_decide();
    return mem_profiling_was_opened() && engine_has_ledger();
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

/* Undo regions_leave(); but a record may be another region's by now. */
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
        return false; /* the object has no regions */
    if (!tally_port_module_name(address, module, sizeof module))
        is_ending = true;
    return !is_ending;
}
