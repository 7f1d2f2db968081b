/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_regions.c - tally top of a trace of regions, as it comes
 *
 * Each refresh reads what has come since the last one, and shows what of each
 * region is used then.
 */
#include "tool/commands/top_regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool/capture/capture_source.h"
#include "tool/capture/wait.h"
#include "tool/commands/command.h"
#include "tool/commands/complaint.h"
#include "tool/commands/trace_losses.h"
#include "tool/model/regions.h"
#include "tool/model/trace.h"
#include "tool/model/trace_names.h"
#include "tool/render/screen.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum { HEAD_LINES = 2, CONNECT_MS = 5000 };

struct top_regions {
    const struct top_options *options;
    const char *name;
    struct trace trace;
    struct trace_names *names;
    struct regions regions;
    bool has_calls;
    size_t first_row;
};

static const struct table_column columns[] = {
    { "REGION", TABLE_LEFT }, { "ADDRESS", TABLE_RIGHT },
    { "USED", TABLE_RIGHT },  { "FREE", TABLE_RIGHT },
    { "%", TABLE_RIGHT },     { "PEAK", TABLE_RIGHT },
    { "NAME", TABLE_LEFT },
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

static int no_memory(void)
{
    return complain("top", "out of memory", "free some");
}

/* All that has come. */
static int refresh(struct top_regions *top)
{
    struct source_failure failure;
    struct trace_event event;
    int got;

    while ((got = trace_next(&top->trace, &event, &failure)) > 0) {
        top->has_calls |= event.kind == TRACE_EVENT_CALL;
        if (event.kind == TRACE_EVENT_REGION &&
            regions_add(&top->regions, &event.region) < 0)
            return no_memory();
    }
    if (got < 0)
        return complain_about_source(top->name, &failure);
    if (top->has_calls && top->regions.count == 0)
        return complain(top->name, "it is a trace of calls",
                        "look at it with tally report");
    return COMMAND_DONE;
}

static int by_address(const void *left, const void *right)
{
    const struct region *a = *(const struct region *const *)left;
    const struct region *b = *(const struct region *const *)right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void add_row(struct table *table, const struct region *region,
                    const char *name)
{
    uint64_t size = region->size > region->used ? region->size : region->used;
    char text[NUMBER_SIZE + 16];

    table_add(table, region_kind_name(region));
    snprintf(text, sizeof text, "0x%" PRIx64, region->address);
    table_add(table, text);
    table_add(table, number_unsigned(text, region->used));
    table_add(table, number_unsigned(text, size - region->used));
    snprintf(text, sizeof text, "%.0f",
             size == 0 ? 0 : (double)region->used * 100 / (double)size);
    table_add(table, text);
    table_add(table, number_unsigned(text, region->peak));
    table_add(table, name == NULL ? "-" : name);
}

static void write_head(const struct top_regions *top, FILE *out)
{
    struct trace_counts counts;
    char number[NUMBER_SIZE], losses[TRACE_LOSSES_SIZE];
    char *safe = escape_copy(ESCAPE_TERMINAL, top->name);

    trace_count(&top->trace, &counts);
    trace_losses(losses, &counts);
    fprintf(out, "%s: %zu region%s, %s event%s%s%s%s\n\n",
            safe == NULL ? "?" : safe, top->regions.count,
            top->regions.count == 1 ? "" : "s",
            number_unsigned(number, top->regions.events),
            top->regions.events == 1 ? "" : "s",
            trace_is_over(&top->trace) ? ", at its end" : "",
            losses[0] == '\0' ? "" : "; ", losses);
    free(safe);
}

static int write_view(const struct top_regions *top, size_t row_count,
                      unsigned width, FILE *out)
{
    const struct regions *regions = &top->regions;
    struct table *table =
        table_create(columns, sizeof columns / sizeof *columns);
    const struct region **rows = calloc(regions->count + 1, sizeof(void *));
    int error = -1;

    for (size_t i = 0; rows != NULL && i < regions->count; i++)
        rows[i] = &regions->items[i];
    if (rows != NULL)
        qsort(rows, regions->count, sizeof *rows, by_address);
    for (size_t i = top->first_row;
         rows != NULL && table != NULL && i < regions->count && row_count-- > 0;
         i++) {
        const struct zpl_event event = {
            .memory_addr = rows[i]->address,
            .for_thread_id = rows[i]->thread,
            .memory_region = rows[i]->kind,
        };

        add_row(table, rows[i], trace_names_find(top->names, &event));
    }
    if (rows != NULL && table != NULL) {
        write_head(top, out);
        error = table_print(table, out, width, TABLE_PLAIN);
    }
    table_destroy(table);
    free(rows);
    return error;
}

static int watch_plainly(struct top_regions *top)
{
    const struct top_options *options = top->options;
    const struct timespec pause = {
        .tv_sec = (time_t)options->interval,
        .tv_nsec =
            (long)((options->interval - (double)(time_t)options->interval) *
                   1e9),
    };

    for (long count = 1;; count++) {
        int status = refresh(top);

        if (status != COMMAND_DONE)
            return status;
        if (count > 1)
            putchar('\n');
        if (write_view(top, options->row_count, 0, stdout) < 0)
            return no_memory();
        if (fflush(stdout) != 0)
            return COMMAND_USAGE; /* main says why */
        if (count == options->refreshes ||
            (options->refreshes == 0 && trace_is_over(&top->trace)))
            return COMMAND_DONE;
        nanosleep(&pause, NULL);
    }
}

static size_t visible_rows(void)
{
    unsigned height = screen_height();

    return height > HEAD_LINES + 1 ? height - HEAD_LINES - 1 : 1;
}

static int draw(const struct top_regions *top)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    int error = memory == NULL
                    ? -1
                    : write_view(top, visible_rows(), screen_width(), memory);

    if (memory != NULL && fclose(memory) == 0 && error == 0)
        screen_show(text, HEAD_LINES);
    free(text);
    return error < 0 ? no_memory() : COMMAND_DONE;
}

/* Returns false when the key means the end. */
static bool obey(struct top_regions *top, int key)
{
    size_t rows = visible_rows(), count = top->regions.count;
    size_t last = count > rows ? count - rows : 0;
    size_t step =
        key == SCREEN_KEY_PAGE_UP || key == SCREEN_KEY_PAGE_DOWN ? rows : 1;

    if (key == SCREEN_KEY_UP || key == SCREEN_KEY_PAGE_UP)
        top->first_row -= step < top->first_row ? step : top->first_row;
    else if (key == SCREEN_KEY_DOWN || key == SCREEN_KEY_PAGE_DOWN)
        top->first_row += step;
    if (top->first_row > last || key == SCREEN_KEY_LAST)
        top->first_row = last;
    if (key == SCREEN_KEY_FIRST)
        top->first_row = 0;
    return key != 'q' && key != 'Q' && key != SCREEN_KEY_GONE;
}

/* Each key draws anew, with what has come by then. */
static int watch_on_screen(struct top_regions *top)
{
    int status = COMMAND_DONE, key;

    for (long count = 1; status == COMMAND_DONE; count++) {
        status = draw(top);
        if (status != COMMAND_DONE || count == top->options->refreshes)
            break;
        key = screen_wait_key((int)(top->options->interval * 1000));
        count -= key != SCREEN_KEY_NONE;
        if (!obey(top, key))
            break;
        status = refresh(top);
    }
    return status;
}

static int watch(struct top_regions *top)
{
    int status;

    top->trace.is_followed = true;
    if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
        return watch_plainly(top);
    status = refresh(top);
    if (status != COMMAND_DONE)
        return status;
    if (screen_begin() < 0)
        return complain("top", "this terminal cannot show a screen",
                        "set TERM, or pipe the output");
    status = watch_on_screen(top);
    screen_end();
    return status;
}

int top_regions(const struct top_options *options, const char *name)
{
    const struct capture_order order = { .source = name,
                                         .stop =
                                             is_wire(name) ? wait_open() : -1,
                                         .milliseconds = CONNECT_MS };
    struct top_regions top = { .options = options, .name = name };
    struct capture_source wire = { .descriptor = -1 };
    struct source_failure failure;
    bool is_open = is_wire(name)
                       ? capture_source_open(&wire, &order, &failure) == 0 &&
                             trace_open_descriptor(&top.trace, wire.descriptor,
                                                   &failure) == 0
                       : trace_open(&top.trace, name, &failure) == 0;
    int status;

    if (is_open)
        top.names = trace_names_open(&top.trace, NULL, &failure);
    status =
        top.names == NULL ? complain_about_source(name, &failure) : watch(&top);
    trace_names_close(top.names);
    regions_close(&top.regions);
    if (is_open)
        trace_close(&top.trace);
    if (wire.descriptor >= 0)
        capture_source_close(&wire);
    return status;
}
