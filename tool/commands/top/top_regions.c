/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_regions.c - tally top of a trace of regions, as it comes
 *
 * Each refresh reads what has come since the last one, and shows what of each
 * region is used then.
 */
#include "tool/commands/top/top_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/capture/capture_source.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/trace/loading.h"
#include "tool/model/sources/loaders.h"
#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace.h"
#include "tool/model/trace/trace_names.h"
#include "tool/render/figure.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum { HEAD_LINES = 3, CONNECT_MS = 5000 };

struct top_regions {
    const char *name;
    struct trace trace;
    struct trace_names *names;
    struct regions regions;
    bool has_calls;
};

static bool is_wire(const char *name)
{
    const char *colon = strrchr(name, ':');
    struct stat status;

    return (stat(name, &status) == 0 &&
            (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))) ||
           strncmp(name, "tcp:", 4) == 0 || strncmp(name, "listen:", 7) == 0 ||
           (strncmp(name, "/dev/", 5) == 0 && colon != NULL);
}

bool is_top_of_trace(const char *name)
{
    struct source_failure failure;
    struct source source;
    bool is_trace;

    if (is_wire(name) || is_trace_folder(name))
        return true;
    if (strcmp(name, "-") == 0 || source_open_file(&source, name, &failure) < 0)
        return false;
    is_trace = source.kind == SOURCE_TRACE;
    source_close(&source);
    return is_trace;
}

/* All that has come. */
static int refresh(struct top_watch *watch)
{
    struct top_regions *top = watch->context;
    struct source_failure failure;
    struct trace_event event;
    int got;

    while ((got = trace_next(&top->trace, &event, &failure)) > 0) {
        top->has_calls |= event.kind == TRACE_EVENT_CALL;
        if (event.kind == TRACE_EVENT_REGION)
            regions_add(&top->regions, &event.region);
    }
    if (got < 0)
        return complain_about_source(top->name, &failure);
    if (top->has_calls && top->regions.count == 0)
        return complain(top->name, "it is a trace of calls",
                        "look at it with tally report");
    watch->rows = top->regions.count;
    watch->has_ended = trace_is_over(&top->trace);
    return COMMAND_DONE;
}

static void add_row(struct table **table, const struct region *region,
                    const char *name)
{
    uint64_t size = region->size > region->used ? region->size : region->used;
    char percent[32];
    const struct figure all[] = {
        { NULL, "REGION", FIGURE_TEXT, .text = region_kind_name(region) },
        { NULL, "ADDRESS", FIGURE_ADDRESS, .number = region->address },
        { NULL, "USED", .number = region->used },
        { NULL, "FREE", .number = size - region->used },
        { NULL, "%", FIGURE_TEXT_RIGHT, .text = percent },
        { NULL, "PEAK", .number = region->peak },
        { NULL, "NAME", FIGURE_TEXT, .text = name },
    };

    snprintf(percent, sizeof percent, "%.0f",
             size == 0 ? 0 : (double)region->used * 100 / (double)size);
    figures_put(table, NULL, all, sizeof all / sizeof all[0]);
}

static void write_head(const struct top_regions *top, FILE *out)
{
    const struct regions *regions = &top->regions;
    struct trace_counts counts;
    char losses[TRACE_LOSSES_SIZE];

    trace_count(&top->trace, &counts);
    trace_losses(losses, &counts);
    escape_write(out, ESCAPE_TERMINAL, top->name, SIZE_MAX);
    fprintf(out, ": %zu region%s, %s event%s%s%s%s\n\n", regions->count,
            number_plural(regions->count), NUMBER(regions->events),
            number_plural(regions->events),
            trace_is_over(&top->trace) ? ", at its end" : "",
            losses[0] == '\0' ? "" : "; ", losses);
}

static void write_view(struct top_watch *watch, size_t row_count,
                       unsigned width, FILE *out)
{
    struct top_regions *top = watch->context;
    const struct region **rows = regions_in_order(&top->regions);
    struct table *table = NULL;

    add_row(&table, &(struct region){ 0 }, NULL);
    table_clear(table);
    for (size_t i = watch->first_row; i < top->regions.count && row_count-- > 0;
         i++) {
        const struct zpl_event event = {
            .memory_addr = rows[i]->address,
            .for_thread_id = rows[i]->thread,
            .memory_region = rows[i]->kind,
        };

        add_row(&table, rows[i], trace_names_find(top->names, &event));
    }
    write_head(top, out);
    table_print(table, out, width, TABLE_PLAIN);
    table_destroy(table);
    free(rows);
}

int top_regions(const struct top_options *options, const char *name)
{
    const struct capture_order order = { .source = name,
                                         .stop =
                                             is_wire(name) ? wait_open() : -1,
                                         .milliseconds = CONNECT_MS };
    struct top_regions top = { .name = name };
    struct top_watch watch = {
        .options = options,
        .context = &top,
        .refresh = refresh,
        .write = write_view,
        .head_lines = HEAD_LINES,
    };
    struct capture_source wire = { .descriptor = -1 };
    struct source_failure failure;
    bool is_open = is_wire(name)
                       ? capture_source_open(&wire, &order, &failure) == 0
                       : trace_open(&top.trace, name, &failure) == 0;
    int status;

    if (is_open && is_wire(name))
        trace_open_descriptor(&top.trace, wire.descriptor);
    if (is_open)
        top.names = trace_names_open(&top.trace, NULL, &failure);
    top.trace.is_followed = true;
    status = top.names == NULL ? complain_about_source(name, &failure)
                               : top_watch(&watch);
    trace_names_close(top.names);
    regions_close(&top.regions);
    if (is_open)
        trace_close(&top.trace);
    if (wire.descriptor >= 0)
        capture_source_close(&wire);
    return status;
}
