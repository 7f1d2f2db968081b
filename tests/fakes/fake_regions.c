/* SPDX-License-Identifier: Apache-2.0 */
/* fake_regions.c - regions of a platform that tests script */
#include "tally/port.h"
#include "tests/fakes/fake_port.h"

#pragma weak tally_own_regions /* absent without the core's slabs and heaps */

static const struct tally_port_region *regions;
static size_t region_count;
static uint32_t hidden_stacks;
static int64_t heap_held;

void fake_port_set_regions(const struct tally_port_region *list, size_t count)
{
    regions = list;
    region_count = count;
}

void fake_port_hide_stacks(uint32_t count)
{
    hidden_stacks = count;
}

uint32_t tally_port_each_region(enum zpl_memory_region kind,
                                tally_port_region_fn tell, void *context)
{
    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].kind == kind)
            tell(context, &regions[i]);
    }
    if (tally_own_regions != NULL)
        tally_own_regions(kind, tell, context);
    return kind == ZPL_STACK ? hidden_stacks : 0;
}

size_t tally_port_stack_depth(uint32_t thread)
{
    (void)thread;
    return 0;
}

void fake_port_set_heap_held(int64_t bytes)
{
    heap_held = bytes;
}

int64_t tally_port_heap_held(void)
{
    return heap_held;
}

int64_t tally_port_heap_reserved(void)
{
    int64_t reserved = 0;

    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].kind == ZPL_HEAP)
            reserved += (int64_t)(regions[i].used + regions[i].unused);
    }
    return reserved;
}
