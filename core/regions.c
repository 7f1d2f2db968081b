/* SPDX-License-Identifier: Apache-2.0 */
/* regions.c - slabs and heaps in the ledger */
#include "core/regions.h"

#include "core/engine.h"
#include "core/mem_profiling.h"

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
