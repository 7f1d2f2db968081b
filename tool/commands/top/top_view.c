/* SPDX-License-Identifier: Apache-2.0 */
/* top_view.c - head and rows of `tally top`; see top_view.h */
#include "tool/commands/top/top_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/model/names/site_names.h"
#include "tool/model/names/trust.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

static const struct table_column columns[] = {
    { "LIVE BYTES", TABLE_RIGHT },  { "BLOCKS", TABLE_RIGHT },
    { "TOTAL BYTES", TABLE_RIGHT }, { "BYTES/S", TABLE_RIGHT },
    { "CALLS/S", TABLE_RIGHT },     { "FUNCTION", TABLE_LEFT },
    { "PLACE", TABLE_LEFT_END },
};

static const struct table_column columns_live[] = {
    { "LIVE BYTES", TABLE_RIGHT }, { "BLOCKS", TABLE_RIGHT },
    { "BYTES/S", TABLE_RIGHT },    { "BLOCKS/S", TABLE_RIGHT },
    { "FUNCTION", TABLE_LEFT },    { "PLACE", TABLE_LEFT_END },
    { "MODULE", TABLE_LEFT },
};

enum {
    COLUMN_COUNT = sizeof columns / sizeof columns[0],
    LIVE_COLUMN_COUNT = sizeof columns_live / sizeof columns_live[0],
};

/* What a sort key is called in the head. */
static const char *sort_name(char key)
{
    static const char *const names[] = { "live bytes", "blocks", "total bytes",
                                         "rate", "function" };
    const char *found = strchr(TOP_SORT_KEYS, key);

    return found == NULL ? names[0] : names[found - TOP_SORT_KEYS];
}

/* To the nearest; what does not fit becomes the outermost that does. */
static int64_t whole(double rate)
{
    if (fabs(rate) < 0x1p63)
        return (int64_t)llround(rate);
    return rate < 0 ? INT64_MIN : INT64_MAX;
}

static const char *state_of(const struct top_view *view)
{
    if (view->source->has_ended)
        return view->source->is_live ? "has ended" : "recorded";
    if (view->profile->image_count > 0 &&
        view->profile->images[0].control != LEDGER_CONTROL_ON)
        return "running, vm.mem_profiling = 0";
    return "running";
}

static int write_text_name(const struct top_view *view, FILE *out)
{
    char *safe = escape_copy(ESCAPE_TERMINAL, view->source->name);

    if (safe == NULL)
        return -1;
    fprintf(out,
            view->profile->text.reports != 0
                ? "%s: largest rows of a kernel's log, as version %u.0\n"
                : "%s: allocinfo text, version %u.0\n",
            safe, view->profile->allocinfo_version);
    free(safe);
    return 0;
}

static int write_program(const struct top_view *view, FILE *out)
{
    const struct profile *profile = view->profile;
    const char *command =
        profile->image_count > 0 ? profile->images[0].command_line : "";
    char *safe = escape_copy(ESCAPE_TERMINAL, command);
    unsigned pid = profile->image_count > 0 ? profile->images[0].pid : 0;

    if (safe == NULL)
        return -1;
    fprintf(out, "pid %u, %s%s: %s\n", pid, state_of(view),
            profile->sample_interval > 1 ? ", sampled (all are estimates)" : "",
            safe);
    free(safe);
    return 0;
}

static void write_live_totals(const struct top_view *view, FILE *out)
{
    const struct profile *profile = view->profile;
    const struct profile_amounts *heap = &profile->heap;
    char bytes[NUMBER_SIZE], blocks[NUMBER_SIZE];

    fprintf(out, "live %s in %s block%s", number_bytes(bytes, heap->live_bytes),
            number_signed(blocks, heap->live_blocks),
            number_plural((uint64_t)heap->live_blocks));
    if (view->rows->has_rates)
        fprintf(out, "; change %s/s, %s blocks/s",
                number_bytes(bytes, whole(view->rows->rate)),
                number_signed(blocks, whole(view->rows->block_rate)));
    fprintf(out, "\n%zu of %zu rows %s marked inaccurate",
            profile->inaccurate_sites, profile->site_count,
            profile->inaccurate_sites == 1 ? "is" : "are");
    if (profile->slab_bytes != 0)
        fprintf(out, "; %s of slab pages counted twice",
                number_bytes(bytes, profile->slab_bytes));
    putc('\n', out);
}

static void write_totals(const struct top_view *view, FILE *out)
{
    const struct profile_amounts *heap = &view->profile->heap;
    const struct profile_amounts *maps = &view->profile->maps;
    char bytes[NUMBER_SIZE], blocks[NUMBER_SIZE], total[NUMBER_SIZE];
    char calls[NUMBER_SIZE], number[NUMBER_SIZE];
    fprintf(out, "live %s in %s block%s; allocated %s by %s call%s",
            number_bytes(bytes, heap->live_bytes),
            number_signed(blocks, heap->live_blocks),
            number_plural((uint64_t)heap->live_blocks),
            number_bytes(total, (int64_t)heap->alloc_bytes),
            number_unsigned(calls, heap->alloc_blocks),
            number_plural(heap->alloc_blocks));
    if (view->rows->has_rates)
        fprintf(out, ", %s/s", number_bytes(number, whole(view->rows->rate)));
    fprintf(out, "\nmmap %s in %s piece%s; %s events lost or unseen\n",
            number_bytes(bytes, maps->live_bytes),
            number_signed(blocks, maps->live_blocks),
            number_plural((uint64_t)maps->live_blocks),
            number_unsigned(calls, trust_lost(view->profile)));
}

/* Empty, or where the rows stand among all. */
static void write_position(const struct top_view *view, FILE *out)
{
    size_t count = view->rows->count;
    size_t end = view->first_row + view->row_count;

    if (end > count)
        end = count;
    fprintf(out, "%s %zu-%zu of %zu by %s\n",
            view->profile->allocinfo_version != 0 ? "rows" : "sites",
            count == 0 ? 0 : view->first_row + 1, end, count,
            sort_name(view->sort_key));
}

static void add_row(struct table *table, struct top_rows *rows,
                    struct top_row *row)
{
    const char *module =
        row->module_path == NULL ? "?" : base_name(row->module_path);
    char text[NUMBER_SIZE];
    char *place = NULL;

    top_row_find_names(rows, row);
    table_add(table, number_signed(text, row->live_bytes));
    table_add(table, number_signed(text, row->live_blocks));
    if (!rows->lacks_totals)
        table_add(table, number_unsigned(text, row->total_bytes));
    table_add(table,
              rows->has_rates ? number_signed(text, whole(row->rate)) : "-");
    table_add(table, rows->has_rates
                         ? number_signed(text, whole(row->block_rate))
                         : "-");
    if (row->function != NULL) {
        table_add(table, row->function);
    } else {
        snprintf(text, sizeof text, "0x%" PRIx64, row->place);
        table_add(table, text);
    }
    if (row->file != NULL)
        place = site_line(row->file, row->line);
    table_add(table, row->file != NULL ? place : module);
    free(place);
    if (rows->lacks_totals)
        table_add(table, row->module_path == NULL ? "-" : module);
}

int top_view_write(const struct top_view *view, FILE *out)
{
    bool is_text = view->profile->allocinfo_version != 0;
    struct table *table = view->rows->lacks_totals
                              ? table_create(columns_live, LIVE_COLUMN_COUNT)
                              : table_create(columns, COLUMN_COUNT);
    int result;

    if (table == NULL ||
        (is_text ? write_text_name(view, out) : write_program(view, out)) < 0) {
        table_destroy(table);
        return -1;
    }
    if (is_text)
        write_live_totals(view, out);
    else
        write_totals(view, out);
    write_position(view, out);
    for (size_t i = view->first_row;
         i < view->rows->count && i < view->first_row + view->row_count; i++)
        add_row(table, view->rows, &view->rows->rows[i]);
    result = table_print(table, out, view->width, TABLE_PLAIN);
    table_destroy(table);
    return result;
}
