/* SPDX-License-Identifier: Apache-2.0 */
/* regions.c - slabs and heaps in the ledger */
#include "core/regions.h"

#include <stddef.h>

#include "core/engine.h"
#include "core/mem_profiling.h"
#include "tally/port.h"

#if __STDC_HOSTED__
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
