/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_regions.c - tally top of a live trace of regions
 *
 * Each refresh reads the events since the last one, and shows the used bytes of
 * each region.
 */
#include "tool/commands/top/top_parts.h"

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "tool/capture/capture.h"
#include "tool/commands/load/load.h"
#include "tool/model/sources/sources.h"

enum { CONNECT_MS = 5000 };

enum column {
    KIND,
    ADDRESS,
    USED,
    FREE,
    PERCENT,
    PEAK,
    GROWTH,
    NAME,
};

static const struct top_column columns[] = {
    [KIND] = { "region", "REGION", .unit = FIGURE_TEXT },
    [ADDRESS] = { "address", "ADDRESS", FIGURE_ADDRESS,
                  .alignment = TABLE_SPARE },
    [USED] = { "used", .title = "USED" },
    [FREE] = { "free", "FREE", 0, .alignment = TABLE_SPARE },
    [PERCENT] = { "percent", "%", 0, .alignment = TABLE_SPARE },
    [PEAK] = { "peak", "PEAK", 0, .alignment = TABLE_SPARE },
    [GROWTH] = { "growth", "GROWTH", FIGURE_GROWTH, TABLE_RIGHT,
                 .needs = TOP_MARK },
    [NAME] = { "name", "NAME", .unit = FIGURE_TEXT },
};

struct top_regions {
    const char *name;
    struct top_calls trace; /* trace of regions, or of calls */
    struct trace_names *names;
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

static void add_row(struct top *top, const struct region *region)
{
    const struct top_regions *regions = top->context;
    const struct zpl_event event = { .memory_addr = region->address,
                                     .for_thread_id = region->thread,
                                     .memory_region = region->kind };
    const char *name = trace_names_find(regions->names, &event);
    const char *kind = region_kind_name(region);
    uint64_t size = region->size > region->used ? region->size : region->used;
    struct top_past *past;
    struct top_row *row;
    char key[64];

    if (top->filter != NULL && !glob_matches(top->filter, kind) &&
        (name == NULL || !glob_matches(top->filter, name)))
        return;
    snprintf(key, sizeof key, "%s 0x%" PRIx64, kind, region->address);
    row = top_rows_add(&top->rows, key, &past);
    past->now = (int64_t)region->used;
    if (top->wants_mark)
        past->marked = past->now;
    row->cells[KIND].text = kind;
    row->cells[ADDRESS].number = (int64_t)region->address;
    row->cells[USED].number = (int64_t)region->used;
    row->cells[FREE].number = (int64_t)(size - region->used);
    row->cells[PERCENT].number =
        size == 0 ? 0 : llrint((double)region->used * 100 / (double)size);
    row->cells[PEAK].number = (int64_t)region->peak;
    row->cells[GROWTH].number = past->now - past->marked;
    row->cells[NAME].text = text_pool_keep(&top->rows.texts, name);
}

/* Read all events that have come. */
static int refresh(struct top *top)
{
    struct top_regions *regions = top->context;
    struct trace_sum *sum = &regions->trace.sum;
    struct source_failure failure;
    const struct region **rows;

    if (trace_sum_read(sum, &regions->trace.trace, &failure) < 0)
        return complain_about_source(regions->name, &failure);
    if (sum->calls.events > 0 && sum->regions.count == 0)
        return COMMAND_GO_ON;
    if (top->wants_mark)
        top->facts |= TOP_MARK;
    rows = regions_in_order(&sum->regions);
    top_rows_begin(&top->rows);
    for (size_t i = 0; i < sum->regions.count; i++)
        add_row(top, rows[i]);
    free(rows);
    top->wants_mark = false;
    top->has_ended = trace_is_over(&regions->trace.trace);
    return COMMAND_DONE;
}

static void write_head(const struct top *top, size_t first, size_t end,
                       FILE *out)
{
    const struct top_regions *context = top->context;
    const struct regions *regions = &context->trace.sum.regions;
    char losses[TRACE_LOSSES_SIZE];

    trace_losses(losses, &context->trace.sum.counts);
    escape_write(out, ESCAPE_TERMINAL, context->name, SIZE_MAX);
    fprintf(out, ": %zu region%s, %s event%s%s%s%s\n", regions->count,
            number_plural(regions->count), NUMBER(regions->events),
            number_plural(regions->events),
            top->has_ended ? ", at its end" : "", losses[0] == '\0' ? "" : "; ",
            losses);
    if (top->filter != NULL)
        fprintf(out, "%zu-%zu of %zu like %s",
                top->rows.count == 0 ? 0 : first + 1, end, top->rows.count,
                top->filter);
    putc('\n', out);
}

static int watch_calls(const struct top_options *options, const char *name,
                       struct top_calls *calls, int stop)
{
    int status;

    calls->stop = stop;
    calls->sum.program = trace_program_find(&calls->trace);
    status =
        elf_option_add(&options->of.elf, &calls->sum.program, &calls->modules);
    if (status == COMMAND_DONE)
        status = top_accounts(options, name, calls);
    caller_modules_close(&calls->modules);
    return status;
}

int top_regions(const struct top_options *options, const char *name)
{
    static const struct top_source source = {
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .head_lines = 3,
        .refresh = refresh,
        .write_head = write_head,
    };
    const struct capture_order order = { .source = name,
                                         .stop =
                                             is_wire(name) ? wait_open() : -1,
                                         .milliseconds = CONNECT_MS };
    struct top_regions regions = { .name = name };
    struct trace *trace = &regions.trace.trace;
    struct capture_source wire = { .descriptor = -1 };
    struct source_failure failure;
    struct top top = { .stop = order.stop };
    bool is_open = is_wire(name)
                       ? capture_source_open(&wire, &order, &failure) == 0
                       : trace_open(trace, name, &failure) == 0;
    int status;

    if (is_open && is_wire(name))
        trace_open_descriptor(trace, wire.descriptor);
    if (is_open)
        regions.names = trace_names_open(
            trace, elf_option_program(&options->of.elf), &failure);
    trace->is_followed = true;
    status = regions.names == NULL
                 ? complain_about_source(name, &failure)
                 : top_watch(&top, options, &source, &regions);
    if (status == COMMAND_GO_ON)
        status = watch_calls(options, name, &regions.trace, top.stop);
    trace_names_close(regions.names);
    trace_sum_close(&regions.trace.sum);
    if (is_open)
        trace_close(trace);
    if (wire.descriptor >= 0)
        capture_source_close(&wire);
    return status;
}
