/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_memory.c - what a program's variables take that are no regions
 */
#include "tool/model/trace/static_memory.h"

#include <string.h>

static const char malloc_heap[] = "z_malloc_heap";

/* A k_heap and its heap are two regions at the same address. */
static bool is_told_before(const struct regions *regions, size_t number)
{
    for (size_t i = 0; i < number; i++) {
        if (regions->items[i].address == regions->items[number].address)
            return true;
    }
    return false;
}

static bool lies_in_sections(const struct trace_names *names,
                             const struct region *region)
{
    uint64_t address = trace_names_file_address(names, region->address);

    return object_names_is_ram(trace_names_objects(names), address) &&
           (region->name == NULL || strcmp(region->name, malloc_heap) != 0);
}

uint64_t static_memory(const struct trace_names *names,
                       const struct regions *regions)
{
    uint64_t bytes;

    if (trace_names_objects(names) == NULL)
        return 0;
    bytes = object_names_ram_bytes(trace_names_objects(names));
    for (size_t i = 0; i < regions->count && bytes > 0; i++) {
        const struct region *region = &regions->items[i];

        if (!lies_in_sections(names, region) || is_told_before(regions, i))
            continue;
        bytes = region->size < bytes ? bytes - region->size : 0;
    }
    return bytes;
}
