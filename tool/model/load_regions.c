/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_regions.c - the events of a trace, added up by region
 */
#include "tool/model/load_regions.h"

#include <string.h>

int name_regions(struct trace_names *names, struct regions *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        struct region *region = &regions->items[i];
        struct zpl_event event = {
            .memory_addr = region->address,
            .for_thread_id = region->thread,
            .memory_region = region->kind,
        };
        const char *name = trace_names_find(names, &event);

        if (name == NULL)
            continue;
        region->name = strdup(name);
        if (region->name == NULL)
            return -1;
    }
    return 0;
}

int load_regions(struct trace *trace, struct trace_names *names,
                 struct regions *regions, struct source_failure *failure)
{
    struct trace_event event;
    int got;

    while ((got = trace_next(trace, &event, failure)) > 0) {
        if (event.kind == TRACE_EVENT_REGION &&
            regions_add(regions, &event.region) < 0)
            return source_fail(failure, "there is not enough memory to load it",
                               "free some and try again");
    }
    if (got < 0)
        return -1;
    regions_finish(regions);
    if (name_regions(names, regions) < 0)
        return source_fail(failure, "there is not enough memory to load it",
                           "free some and try again");
    return 0;
}
