/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_regions.c - from a source that is a trace to its regions
 */
#include "tool/commands/open_regions.h"

#include "tool/commands/complaint.h"
#include "tool/commands/trace_losses.h"
#include "tool/model/load_regions.h"

static int load(struct trace *trace, const char *name, const char *elf,
                struct regions *regions, struct trace_counts *counts)
{
    struct source_failure failure;
    struct trace_names *names = trace_names_open(trace, elf, &failure);
    int status = COMMAND_DONE;

    if (names == NULL)
        return complain_about_source(elf != NULL ? elf : name, &failure);
    if (load_regions(trace, names, regions, &failure) < 0)
        status = complain_about_source(name, &failure);
    trace_names_close(names);
    trace_count(trace, counts);
    return status != COMMAND_DONE ? status : trace_check(name, counts);
}

int open_regions(struct source *source, const char *name, const char *elf,
                 struct regions *regions, struct trace_counts *counts)
{
    struct source_failure failure;
    struct trace trace;
    int status;

    if (trace_open_source(&trace, source, &failure) < 0)
        return complain_about_source(name, &failure);
    status = load(&trace, name, elf, regions, counts);
    trace_close(&trace);
    if (status == COMMAND_DONE && regions->left_out != 0)
        complain(name, "it has more than 16,384 regions",
                 "events of the others are left out");
    return status;
}
