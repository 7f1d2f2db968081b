/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_text.c - two sources compared, for people
 *
 * Places that did not change have no row.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/diff/diff.h"
#include "tool/model/names/site_rows.h"
#include "tool/render/estimate_text.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

static const struct table_column columns[] = {
    { "GROWTH BYTES", TABLE_RIGHT }, { "GROWTH BLOCKS", TABLE_RIGHT },
    { "BEFORE BYTES", TABLE_RIGHT }, { "AFTER BYTES", TABLE_RIGHT },
    { "FUNCTION", TABLE_LEFT },      { "FILE:LINE", TABLE_LEFT_END },
    { "MODULE", TABLE_LEFT },        { "NOTE", TABLE_LEFT },
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

struct interval diff_interval(const struct diff *diff, unsigned side,
                              const struct comparison_amounts *amounts,
                              bool is_bytes)
{
    double value = (double)(is_bytes ? amounts->bytes : amounts->blocks);
    double variance =
        is_bytes ? amounts->bytes_variance : amounts->blocks_variance;

    if (diff->profiles[side]->sample_interval <= 1 ||
        (value != 0 && variance <= 0))
        return (struct interval){ value, value };
    return interval_of_sampled(diff->profiles[side],
                               is_bytes ? MEASURE_LIVE_BYTES
                                        : MEASURE_LIVE_BLOCKS,
                               value < 0 ? 0 : value, variance);
}

struct interval diff_growth_interval(const struct diff *diff,
                                     const struct comparison_amounts *before,
                                     const struct comparison_amounts *after,
                                     bool is_bytes)
{
    return interval_of_growth(
        (double)(is_bytes ? before->bytes : before->blocks),
        diff_interval(diff, 0, before, is_bytes),
        (double)(is_bytes ? after->bytes : after->blocks),
        diff_interval(diff, 1, after, is_bytes));
}

static char *side_text(char out[ESTIMATE_TEXT_SIZE], const struct diff *diff,
                       unsigned side, const struct comparison_amounts *amounts,
                       bool is_bytes)
{
    return estimate_text(out, is_bytes ? amounts->bytes : amounts->blocks,
                         diff_interval(diff, side, amounts, is_bytes));
}

static char *growth_text(char out[ESTIMATE_TEXT_SIZE], const struct diff *diff,
                         const struct comparison_row *row, bool is_bytes)
{
    return estimate_growth(
        out, is_bytes ? row->growth.bytes : row->growth.blocks,
        diff_growth_interval(diff, &row->before, &row->after, is_bytes));
}

static void add_amounts(struct table *table, const struct diff *diff,
                        const struct comparison_row *row)
{
    char text[ESTIMATE_TEXT_SIZE];

    table_add(table, growth_text(text, diff, row, true));
    table_add(table, growth_text(text, diff, row, false));
    table_add(table, side_text(text, diff, 0, &row->before, true));
    table_add(table, side_text(text, diff, 1, &row->after, true));
}

static void add_text(struct table *table, struct allocinfo_text text)
{
    if (text.length == 0)
        table_add(table, "-");
    else
        table_add_format(table, "%.*s", (int)text.length, text.bytes);
}

static void add_place(struct table *table, const struct allocinfo_row *place)
{
    add_text(table, place->function);
    if (place->line == 0)
        add_text(table, place->file.bytes[place->file.length - 1] == '/'
                            ? place->file /* a folder */
                            : (struct allocinfo_text){ 0 });
    else
        table_add_format(table, "%.*s:%" PRIu64, (int)place->file.length,
                         place->file.bytes, place->line);
    add_text(table, site_rows_module(place));
}

enum { NOTE_SIZE = 96 };

/* Lines where they are not those of B, and marks. */
static const char *note_of(char out[NOTE_SIZE],
                           const struct comparison_row *row)
{
    static const char *const marks[] = { "", "inaccurate", "unsure" };
    const char *mark = marks[row->is_unsure ? 2 : row->is_inaccurate];
    int length = 0;

    if (row->state != COMPARISON_BOTH)
        length = snprintf(out, NOTE_SIZE, "%s",
                          row->state == COMPARISON_NEW ? "new" : "gone");
    else if (row->places_before > 1 || row->places_after > 1)
        length = snprintf(out, NOTE_SIZE, "sum of %zu lines, %zu before",
                          row->places_after, row->places_before);
    else if (row->line_before != row->line_after)
        length =
            snprintf(out, NOTE_SIZE, "was line %" PRIu64, row->line_before);
    snprintf(out + length, NOTE_SIZE - (size_t)length, "%s%s",
             length > 0 && *mark != '\0' ? ", " : "",
             length == 0 && *mark == '\0' ? "-" : mark);
    return out;
}

static bool has_changed(const struct comparison_row *row)
{
    return row->growth.bytes != 0 || row->growth.blocks != 0;
}

/* The rows beyond the limit as one. */
static void add_rest(struct table *table, const struct diff *diff,
                     const struct comparison_row *rest, size_t count)
{
    char text[64];

    add_amounts(table, diff, rest);
    snprintf(text, sizeof text, "(%zu more)", count);
    table_add(table, text);
    table_add(table, "-");
    table_add(table, "-");
    table_add(table, "-");
}

static int print_rows(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct table *table = table_create(columns, COLUMN_COUNT);
    struct comparison_row rest = { 0 };
    char note[NOTE_SIZE];
    size_t shown = 0;
    size_t left_out = 0;
    int error;

    if (table == NULL)
        return -1;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct comparison_row *row = &comparison->rows[i];

        if (!has_changed(row))
            continue;
        if (shown < diff->row_limit) {
            add_amounts(table, diff, row);
            add_place(table, row->place);
            table_add(table, note_of(note, row));
            shown++;
        } else {
            comparison_add(&rest.growth, &row->growth);
            comparison_add(&rest.before, &row->before);
            comparison_add(&rest.after, &row->after);
            left_out++;
        }
    }
    if (left_out > 0)
        add_rest(table, diff, &rest, left_out);
    error = table_print(table, stdout, terminal_width(stdout),
                        terminal_has_color(diff->color, stdout) ? TABLE_COLORED
                                                                : TABLE_PLAIN);
    table_destroy(table);
    return error;
}

static int print_side(const char *title, const char *name,
                      const struct diff *diff, unsigned side,
                      const struct comparison_amounts *amounts)
{
    char bytes[ESTIMATE_TEXT_SIZE], blocks[ESTIMATE_TEXT_SIZE];
    char *safe = escape_copy(ESCAPE_TERMINAL, name);

    if (safe == NULL)
        return -1;
    printf("%s  %s bytes in %s block%s: %s\n", title,
           side_text(bytes, diff, side, amounts, true),
           side_text(blocks, diff, side, amounts, false),
           amounts->blocks == 1 ? "" : "s", safe);
    free(safe);
    return 0;
}

static void print_growth(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    double percent = comparison_percent(comparison);
    const struct comparison_row all = { .before = comparison->before,
                                        .after = comparison->after,
                                        .growth = comparison->growth };
    char bytes[ESTIMATE_TEXT_SIZE], blocks[ESTIMATE_TEXT_SIZE];

    printf("growth  %s bytes in %s block%s",
           growth_text(bytes, diff, &all, true),
           growth_text(blocks, diff, &all, false),
           comparison->growth.blocks == 1 ? "" : "s");
    if (isfinite(percent))
        printf(", %+.1f %%\n\n", percent);
    else
        puts(comparison->before.bytes == 0 ? ", from nothing\n"
                                           : ", from below 0\n");
}

static void print_marks(const struct diff *diff)
{
    char numbers[2][NUMBER_SIZE];
    const struct comparison *comparison = diff->comparison;

    if (comparison->inaccurate_rows != 0)
        printf("\n%zu row%s marked inaccurate: values are wrong, growth %s\n",
               comparison->inaccurate_rows,
               comparison->inaccurate_rows == 1 ? " is" : "s are",
               diff->is_lossy ? "may be, too" : "is right");
    if (comparison->unsure_rows != 0)
        printf("\n%zu row%s marked inaccurate on one side alone: growth may be "
               "wrong\n",
               comparison->unsure_rows,
               comparison->unsure_rows == 1 ? " is" : "s are");
    if (diff->slab_bytes[0] != 0 || diff->slab_bytes[1] != 0)
        printf("\nCounted twice: %s bytes of slab pages (alloc_slab_page) "
               "before, %s after, and the objects in them\n",
               number_signed(numbers[0], diff->slab_bytes[0]),
               number_signed(numbers[1], diff->slab_bytes[1]));
    if (diff->is_lossy)
        puts("\nA source lacks data or was read while it changed; tally "
             "report tells more");
    if (diff->is_exceeded)
        printf("\nGrowth is more than %g %%\n", diff->bound);
}

int diff_write_text(const struct diff *diff)
{
    if (print_side("before", diff->before_name, diff, 0,
                   &diff->comparison->before) < 0 ||
        print_side("after ", diff->after_name, diff, 1,
                   &diff->comparison->after) < 0)
        return -1;
    print_growth(diff);
    if (print_rows(diff) < 0 ||
        (diff->stacks != NULL && diff_write_stacks(diff) < 0))
        return -1;
    print_marks(diff);
    return 0;
}
