/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_write.c - two sources compared, for people and for scripts
 *
 * For people places that did not change have no row. Names of JSON are a
 * contract: they may be added to, never changed.
 *
 * This file is long because both forms show the same figures, side by side.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tool/commands/diff/diff_write.h"
#include "tool/commands/report/figures.h"
#include "tool/model/names/site_rows.h"
#include "tool/render/call_tree_text.h"
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

static struct interval side_interval(const struct diff *diff, unsigned side,
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

static struct interval growth_interval(const struct diff *diff,
                                       const struct comparison_amounts *before,
                                       const struct comparison_amounts *after,
                                       bool is_bytes)
{
    return interval_of_growth(
        (double)(is_bytes ? before->bytes : before->blocks),
        side_interval(diff, 0, before, is_bytes),
        (double)(is_bytes ? after->bytes : after->blocks),
        side_interval(diff, 1, after, is_bytes));
}

static char *side_text(char out[ESTIMATE_TEXT_SIZE], const struct diff *diff,
                       unsigned side, const struct comparison_amounts *amounts,
                       bool is_bytes)
{
    return estimate_text(out, is_bytes ? amounts->bytes : amounts->blocks,
                         side_interval(diff, side, amounts, is_bytes));
}

static char *growth_text(char out[ESTIMATE_TEXT_SIZE], const struct diff *diff,
                         const struct comparison_row *row, bool is_bytes)
{
    return estimate_growth(
        out, is_bytes ? row->growth.bytes : row->growth.blocks,
        growth_interval(diff, &row->before, &row->after, is_bytes));
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
    add_amounts(table, diff, rest);
    table_add_format(table, "(%zu more)", count);
    table_add(table, "-");
    table_add(table, "-");
    table_add(table, "-");
}

static int print_rows(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct table *table =
        table_create(columns, sizeof columns / sizeof columns[0]);
    struct comparison_row rest = { 0 };
    char note[NOTE_SIZE];
    size_t shown = 0;
    size_t left_out = 0;

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
    return table_show(table, diff->color);
}

static void print_side(const char *title, const struct diff *diff,
                       unsigned side, const struct comparison_amounts *amounts)
{
    char bytes[ESTIMATE_TEXT_SIZE], blocks[ESTIMATE_TEXT_SIZE];

    printf("%s  %s bytes in %s block%s: ", title,
           side_text(bytes, diff, side, amounts, true),
           side_text(blocks, diff, side, amounts, false),
           amounts->blocks == 1 ? "" : "s");
    escape_write(stdout, ESCAPE_TERMINAL, diff->names[side], SIZE_MAX);
    putchar('\n');
}

static void print_growth(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    double percent =
        comparison_percent(comparison->before.bytes, comparison->growth.bytes);
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
               NUMBER_SIGNED(diff->slab_bytes[0]),
               NUMBER_SIGNED(diff->slab_bytes[1]));
    if (diff->is_lossy)
        puts("\nA source lacks data or was read while it changed; tally "
             "report tells more");
    if (diff->is_exceeded)
        printf("\nGrowth is more than %g %%\n", diff->bound);
}

enum {
    STACKS_SHOWN = 5,
    CHAIN_LIMIT = 12, /* calls of each */
    NUMBER_WIDTH = 15,
};

static int print_stack(const struct stack_comparison *stacks, uint32_t node)
{
    const struct call_node *nodes = stacks->tree.nodes;
    unsigned width = terminal_text_width(stdout) - NUMBER_WIDTH;
    int64_t growth = stack_comparison_growth(stacks, node);
    char number[NUMBER_SIZE + 1];
    unsigned shown = 0;

    printf("%13s  ", number_growth(number, growth));
    for (; node != 0; node = nodes[node].parent) {
        if (shown == CHAIN_LIMIT) {
            printf("%*s... %u more\n", NUMBER_WIDTH, "",
                   (unsigned)nodes[node].level);
            break;
        }
        if (shown++ > 0)
            printf("%*s", NUMBER_WIDTH, "");
        if (call_tree_text_write_name(stdout, nodes[node].name, width) < 0)
            return -1;
    }
    return 0;
}

static int print_stacks(const struct diff *diff)
{
    const struct stack_comparison *stacks = diff->stacks;
    size_t limit =
        diff->row_limit < STACKS_SHOWN ? diff->row_limit : STACKS_SHOWN;

    if (stacks->changed_count == 0 || limit == 0)
        return 0;
    puts("\nGrowth in bytes by stack, innermost call first");
    for (size_t i = 0; i < stacks->changed_count && i < limit; i++) {
        if (i > 0)
            putchar('\n');
        if (print_stack(stacks, stacks->changed[i]) < 0)
            return -1;
    }
    if (stacks->changed_count > limit)
        printf("\n  %zu more stacks changed\n", stacks->changed_count - limit);
    return 0;
}

int diff_write_text(const struct diff *diff)
{
    print_side("before", diff, 0, &diff->comparison->before);
    print_side("after ", diff, 1, &diff->comparison->after);
    print_growth(diff);
    if (print_rows(diff) < 0 ||
        (diff->stacks != NULL && print_stacks(diff) < 0))
        return -1;
    print_marks(diff);
    return 0;
}

/* Nothing where both sides are exact. */
static void write_growth_intervals(struct json *json, const struct diff *diff,
                                   const struct comparison_amounts *before,
                                   const struct comparison_amounts *after)
{
    if (diff->profiles[0]->sample_interval <= 1 &&
        diff->profiles[1]->sample_interval <= 1)
        return;
    json_begin(json, "intervals", JSON_OBJECT);
    estimate_json(json, "bytes_growth",
                  growth_interval(diff, before, after, true));
    estimate_json(json, "blocks_growth",
                  growth_interval(diff, before, after, false));
    json_end(json);
}

static void write_side(struct json *json, const char *key,
                       const struct diff *diff, unsigned side,
                       const struct comparison_amounts *amounts)
{
    json_begin(json, key, JSON_OBJECT);
    json_string(json, "source", diff->names[side]);
    json_signed(json, "bytes", amounts->bytes);
    json_signed(json, "blocks", amounts->blocks);
    json_signed(json, "slab_page_bytes", diff->slab_bytes[side]);
    json_end(json);
}

static void write_growth(struct json *json, const struct diff *diff)
{
    json_begin(json, "growth", JSON_OBJECT);
    json_signed(json, "bytes", diff->comparison->growth.bytes);
    json_signed(json, "blocks", diff->comparison->growth.blocks);
    json_fraction(json, "percent",
                  comparison_percent(diff->comparison->before.bytes,
                                     diff->comparison->growth.bytes));
    json_fraction(json, "bound_percent", diff->has_bound ? diff->bound : NAN);
    json_bool(json, "exceeded", diff->is_exceeded);
    write_growth_intervals(json, diff, &diff->comparison->before,
                           &diff->comparison->after);
    json_end(json);
}

/* Texts of rows are strings. */
static void write_text(struct json *json, const char *key,
                       struct allocinfo_text text)
{
    json_string(json, key, text.length == 0 ? NULL : text.bytes);
}

static void write_row(struct json *json, const struct diff *diff,
                      const struct comparison_row *row)
{
    static const char *const states[] = { [COMPARISON_BOTH] = "both",
                                          [COMPARISON_NEW] = "new",
                                          [COMPARISON_GONE] = "gone" };

    json_begin(json, NULL, JSON_OBJECT);
    write_text(json, "function", row->place->function);
    write_text(json, "file", row->place->file);
    json_unsigned(json, "line", row->place->line);
    json_known(json, "line_before", row->state != COMPARISON_NEW,
               row->line_before);
    json_unsigned(json, "lines_before", row->places_before);
    json_unsigned(json, "lines_after", row->places_after);
    write_text(json, "module", row->place->module);
    json_signed(json, "bytes_before", row->before.bytes);
    json_signed(json, "bytes_after", row->after.bytes);
    json_signed(json, "bytes_growth", row->growth.bytes);
    json_signed(json, "blocks_before", row->before.blocks);
    json_signed(json, "blocks_after", row->after.blocks);
    json_signed(json, "blocks_growth", row->growth.blocks);
    json_string(json, "state", states[row->state]);
    json_bool(json, "accurate", !row->is_inaccurate);
    json_bool(json, "growth_accurate", !row->is_unsure);
    write_growth_intervals(json, diff, &row->before, &row->after);
    json_end(json);
}

static void write_stacks(struct json *json, const struct diff *diff)
{
    const struct stack_comparison *stacks = diff->stacks;
    const struct call_node *nodes = stacks->tree.nodes;

    json_begin(json, "stacks", JSON_ARRAY);
    for (size_t i = 0; i < stacks->changed_count && i < diff->row_limit; i++) {
        uint32_t node = stacks->changed[i];
        const int64_t *own = call_tree_own(&stacks->tree, node);

        json_begin(json, NULL, JSON_OBJECT);
        json_signed(json, "bytes_before", own[COMPARED_BEFORE]);
        json_signed(json, "bytes_after", own[COMPARED_AFTER]);
        json_signed(json, "bytes_growth",
                    stack_comparison_growth(stacks, node));
        json_signed(json, "blocks_before", own[COMPARED_BLOCKS_BEFORE]);
        json_signed(json, "blocks_after", own[COMPARED_BLOCKS_AFTER]);
        json_begin(json, "stack", JSON_ARRAY);
        for (; node != 0; node = nodes[node].parent) {
            json_begin(json, NULL, JSON_OBJECT);
            figures_write_name(json, &nodes[node].name->name);
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

int diff_write_json(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    write_side(&json, "before", diff, 0, &comparison->before);
    write_side(&json, "after", diff, 1, &comparison->after);
    write_growth(&json, diff);
    json_bool(&json, "lossy", diff->is_lossy);
    json_begin(&json, "rows", JSON_ARRAY);
    for (size_t i = 0; i < comparison->count && i < diff->row_limit; i++)
        write_row(&json, diff, &comparison->rows[i]);
    json_end(&json);
    if (diff->stacks != NULL)
        write_stacks(&json, diff);
    json_end(&json);
    return 0;
}
