/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_write.c - a comparison as text and as JSON
 *
 * Text leaves out rows that did not change.
 *
 * This file is long because both forms share their figures.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/diff/diff_parts.h"
#include "tool/commands/figures/site_figures.h"
#include "tool/model/names/blamed_calls.h"
#include "tool/render/render.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

enum { BYTES, BLOCKS, UNITS };
enum { BEFORE, AFTER, GROWTH, TIMES };

/* Fill the figures of a row, by unit and time. */
static void find_amounts(struct figure out[UNITS][TIMES],
                         const struct diff *diff,
                         const struct comparison_row *row)
{
    static const char *const keys[UNITS][TIMES] = {
        { "bytes_before", "bytes_after", "bytes_growth" },
        { "blocks_before", "blocks_after", "blocks_growth" },
    };
    static const char *const titles[UNITS][TIMES] = {
        { "BEFORE BYTES", "AFTER BYTES", "GROWTH BYTES" },
        { NULL, NULL, "GROWTH BLOCKS" },
    };
    const struct comparison_amounts *amounts[] = { &row->before, &row->after,
                                                   &row->growth };

    for (unsigned unit = 0; unit < UNITS; unit++) {
        struct figure *figures = out[unit];
        enum measure measure =
            unit == BYTES ? diff->value->bytes : diff->value->blocks;

        for (unsigned time = 0; time < TIMES; time++) {
            const struct comparison_amounts *of = amounts[time];
            int64_t value = unit == BYTES ? of->bytes : of->blocks;

            figures[time] =
                (struct figure){ keys[unit][time],
                                 titles[unit][time],
                                 time == GROWTH ? FIGURE_GROWTH : FIGURE_SIGNED,
                                 .is_unknown = measure == MEASURE_COUNT,
                                 .is_estimate = measure != MEASURE_COUNT,
                                 .number = (uint64_t)value };
            if (time != GROWTH && measure != MEASURE_COUNT) {
                const struct profile *profile = diff->profiles[time];
                struct estimate_error error = kept_error_read(
                    unit == BYTES ? of->bytes_error : of->blocks_error);

                figures[time].interval =
                    profile->sample_interval <= 1 ||
                            (value != 0 && error.variance <= 0)
                        ? (struct interval){ (double)value, (double)value }
                        : interval_of_sampled(profile, measure,
                                              value < 0 ? 0 : (double)value,
                                              error);
            }
        }
        figures[GROWTH].interval =
            diff->comparison->is_of_one_process && measure != MEASURE_COUNT
                ? comparison_turnover(row, diff->profiles, unit == BYTES,
                                      measure)
                : interval_of_growth((double)(int64_t)figures[BEFORE].number,
                                     figures[BEFORE].interval,
                                     (double)(int64_t)figures[AFTER].number,
                                     figures[AFTER].interval);
    }
}

static void add_row(struct table **table, const struct diff *diff,
                    const struct comparison_row *row, const char *function,
                    const char *place, const char *module, const char *note)
{
    struct figure amounts[UNITS][TIMES];

    find_amounts(amounts, diff, row);
    figures_put(
        table, NULL,
        (struct figure[]){
            amounts[BYTES][GROWTH],
            amounts[BLOCKS][GROWTH],
            amounts[BYTES][BEFORE],
            amounts[BYTES][AFTER],
            { NULL, "FUNCTION", FIGURE_TEXT, .text = function },
            { NULL, "FILE:LINE", FIGURE_TEXT, TABLE_LEFT_END, .text = place },
            { NULL, "MODULE", FIGURE_TEXT, .text = module },
            { NULL, "NOTE", FIGURE_TEXT, .text = note },
        },
        8);
}

enum { NOTE_SIZE = 96 };

/* Return a note about the state of a row, other lines before, and marks. */
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

static void add_place(struct table **table, const struct diff *diff,
                      const struct comparison_row *row)
{
    size_t length = strlen(row->file);
    bool is_folder = length > 0 && row->file[length - 1] == '/';
    char *line = row->line == 0 ? NULL
                 : row->last_line > row->line
                     ? memory_print("%s:%" PRIu64 "-%" PRIu64, row->file,
                                    row->line, row->last_line)
                     : site_line(row->file, row->line);
    char note[NOTE_SIZE];

    add_row(table, diff, row, row->function,
            row->line == 0 && is_folder ? row->file : line, row->object,
            note_of(note, row));
    free(line);
}

bool diff_is_noise(const struct diff *diff, const struct comparison_row *row)
{
    struct figure amounts[UNITS][TIMES];
    unsigned unit = diff->value->is_of_blocks ? BLOCKS : BYTES;
    struct interval interval;

    if (row->growth.bytes == 0 && row->growth.blocks == 0)
        return true;
    find_amounts(amounts, diff, row);
    interval = amounts[unit][GROWTH].interval;
    return interval.high - interval.low >= 0.5 && interval.low <= 0 &&
           interval.high >= 0;
}

/* Print the rows of one state; return their number. */
static size_t print_rows_of(const struct diff *diff,
                            enum comparison_state state, const char *title)
{
    const struct comparison *comparison = diff->comparison;
    struct table *table = NULL;
    struct comparison_row rest = { 0 };
    char name[NOTE_SIZE];
    size_t shown = 0;
    size_t left_out = 0;

    add_row(&table, diff, &rest, NULL, NULL, NULL, NULL);
    table_clear(table);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct comparison_row *row = &comparison->rows[i];

        if (row->state != state || diff_is_noise(diff, row))
            continue;
        if (shown < diff->row_limit) {
            add_place(&table, diff, row);
            shown++;
        } else {
            comparison_add(&rest, row);
            left_out++;
        }
    }
    snprintf(name, sizeof name, "(%zu more)", left_out);
    if (left_out > 0)
        add_row(&table, diff, &rest, name, NULL, NULL, NULL);
    if (shown > 0) {
        puts(title);
        table_show(table, diff->color);
    } else {
        table_destroy(table);
    }
    return shown;
}

static void print_rows(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    size_t unclear = 0, shown;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct comparison_row *row = &comparison->rows[i];

        unclear += (row->growth.bytes != 0 || row->growth.blocks != 0) &&
                   diff_is_noise(diff, row);
    }
    shown = print_rows_of(diff, COMPARISON_BOTH, "Changed:");
    shown += print_rows_of(diff, COMPARISON_NEW, shown > 0 ? "\nNew:" : "New:");
    shown +=
        print_rows_of(diff, COMPARISON_GONE, shown > 0 ? "\nGone:" : "Gone:");
    if (shown == 0 && diff->row_limit > 0)
        puts("no row changed");
    if (unclear > 0)
        printf("\n%zu more row%s changed within the sampling error\n", unclear,
               number_plural(unclear));
}

/* Print "1,024 bytes in 1 block", or the one of both that is known. */
static void print_amounts(const char *title, const struct diff *diff,
                          struct figure amounts[UNITS][TIMES], unsigned time)
{
    char text[ESTIMATE_TEXT_SIZE];
    const struct figure *bytes = &amounts[BYTES][time];
    const struct figure *blocks = &amounts[BLOCKS][time];

    printf("%s  %s", title, diff->value->said);
    if (!bytes->is_unknown)
        printf("%s bytes%s", figure_text(text, bytes),
               blocks->is_unknown ? "" : " in ");
    if (!blocks->is_unknown)
        printf("%s block%s", figure_text(text, blocks),
               number_plural(blocks->number));
}

double diff_percent(const struct diff *diff)
{
    const struct comparison_row *sum = &diff->comparison->sum;

    return comparison_percent(comparison_deciding(diff->value, &sum->before),
                              comparison_deciding(diff->value, &sum->growth));
}

double diff_least_percent(const struct diff *diff)
{
    struct figure amounts[UNITS][TIMES], *of;

    find_amounts(amounts, diff, &diff->comparison->sum);
    of = amounts[diff->value->is_of_blocks ? BLOCKS : BYTES];
    return comparison_percent((int64_t)of[BEFORE].interval.high,
                              (int64_t)of[GROWTH].interval.low);
}

static void print_sums(const struct diff *diff)
{
    static const char *const titles[] = { "before", "after " };
    const struct comparison *comparison = diff->comparison;
    double percent = diff_percent(diff);
    struct figure sums[UNITS][TIMES];

    find_amounts(sums, diff, &comparison->sum);
    for (unsigned i = 0; i < 2; i++) {
        print_amounts(titles[i], diff, sums, i);
        fputs(": ", stdout);
        escape_write(stdout, ESCAPE_TERMINAL, diff->names[i], SIZE_MAX);
        putchar('\n');
    }
    print_amounts("growth", diff, sums, GROWTH);
    if (isfinite(percent))
        printf(", %+.1f %%\n\n", percent);
    else
        puts(comparison_deciding(diff->value, &comparison->sum.before) == 0
                 ? ", from nothing\n"
                 : ", from below 0\n");
}

static void print_marks(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    char *wrappers = wrappers_text(&diff->wrappers);

    if (wrappers != NULL) {
        putchar('\n');
        escape_write(stdout, ESCAPE_TERMINAL, wrappers, SIZE_MAX);
        putchar('\n');
    }
    free(wrappers);

    if (comparison->inaccurate_rows != 0)
        printf("\n%zu row%s marked inaccurate: values are wrong, growth %s\n",
               comparison->inaccurate_rows,
               comparison->inaccurate_rows == 1 ? " is" : "s are",
               diff->is_lossy ? "may be wrong" : "is right");
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
        puts("\nA source lacks data or changed while it was read; see tally "
             "report");
    if (diff->is_exceeded)
        printf("\n%s exceeds %g %%\n",
               diff_least_percent(diff) > diff->bound ? "Growth"
                                                      : "Growth of the peak",
               diff->bound);
    else if (diff->has_bound && diff_percent(diff) > diff->bound)
        printf("\nGrowth exceeds %g %%, but within the sampling error\n",
               diff->bound);
}

enum {
    STACKS_SHOWN = 5,
    CHAIN_LIMIT = 12, /* calls of each */
    NUMBER_WIDTH = 15,
};

static void print_stack(const struct stack_comparison *stacks, uint32_t node)
{
    const struct call_node *nodes = stacks->tree.nodes;
    unsigned width = terminal_text_width(stdout) - NUMBER_WIDTH;
    int64_t growth = stack_comparison_growth(stacks, node);
    unsigned shown = 0;

    printf("%13s  ", NUMBER_GROWTH(growth));
    for (; node != 0; node = nodes[node].parent) {
        if (shown == CHAIN_LIMIT) {
            printf("%*s... %u more\n", NUMBER_WIDTH, "",
                   (unsigned)nodes[node].level);
            break;
        }
        if (shown++ > 0)
            printf("%*s", NUMBER_WIDTH, "");
        call_tree_text_write_name(nodes[node].name, width);
    }
}

static void print_stacks(const struct diff *diff)
{
    const struct stack_comparison *stacks = diff->stacks;
    size_t limit =
        diff->row_limit < STACKS_SHOWN ? diff->row_limit : STACKS_SHOWN;

    if (stacks->changed_count == 0 || limit == 0)
        return;
    printf("\nGrowth in %s by stack, innermost call first\n",
           diff->value->is_of_blocks ? "blocks" : "bytes");
    for (size_t i = 0; i < stacks->changed_count && i < limit; i++) {
        if (i > 0)
            putchar('\n');
        print_stack(stacks, stacks->changed[i]);
    }
    if (stacks->changed_count > limit)
        printf("\n  %zu more stacks changed\n", stacks->changed_count - limit);
}

static uint64_t amount_at(const struct profile_amounts *amounts, size_t at)
{
    return *(const uint64_t *)((const char *)amounts + at);
}

/* Write allocated and freed amounts between two instants; as text if `json` is
   NULL. */
static void write_between(struct json *json, const struct diff *diff)
{
    const struct {
        const char *key, *before, *after;
        size_t amount;
    } rows[] = {
        { "bytes_allocated", "between: ", " bytes in ",
          offsetof(struct profile_amounts, alloc_bytes) },
        { "blocks_allocated", "", " blocks allocated, ",
          offsetof(struct profile_amounts, alloc_blocks) },
        { "bytes_freed", "", " bytes in ",
          offsetof(struct profile_amounts, free_bytes) },
        { "blocks_freed", "", " blocks freed\n",
          offsetof(struct profile_amounts, free_blocks) },
    };

    if (!diff->is_between)
        return;
    if (json != NULL)
        json_begin(json, "between", JSON_OBJECT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t grown = (int64_t)(amount_at(&diff->sums[1], rows[i].amount) -
                                  amount_at(&diff->sums[0], rows[i].amount));

        if (json != NULL)
            json_signed(json, rows[i].key, grown);
        else
            printf("%s%s%s", rows[i].before, NUMBER_SIGNED(grown),
                   rows[i].after);
    }
    if (json != NULL)
        json_end(json);
}

double diff_peak_percent(const struct diff *diff)
{
    enum { NOISE_PERCENT = 5, NOISE_BYTES = 65536 };
    int64_t growth = diff->peaks[1] - diff->peaks[0];
    double percent = comparison_percent(diff->peaks[0], growth);

    return diff->has_peaks && fabs(percent) >= NOISE_PERCENT &&
                   llabs(growth) >= NOISE_BYTES
               ? percent
               : 0;
}

void diff_write_text(const struct diff *diff)
{
    double percent = diff_peak_percent(diff);

    write_between(NULL, diff);
    print_sums(diff);
    if (percent != 0)
        printf("The peak%s changed by %s bytes, %+.1f %%%s\n\n",
               diff->has_heap_peaks ? " of the heap" : "",
               NUMBER_GROWTH(diff->peaks[1] - diff->peaks[0]), percent,
               diff->has_heap_peaks ? "" : ": --value=peak");
    print_rows(diff);
    if (diff->stacks != NULL)
        print_stacks(diff);
    print_marks(diff);
}

/* Write no intervals if both sides are exact. */
static void write_intervals(struct json *json, const struct diff *diff,
                            struct figure amounts[UNITS][TIMES])
{
    const struct figure growth[] = { amounts[BYTES][GROWTH],
                                     amounts[BLOCKS][GROWTH] };

    if (diff->profiles[0]->sample_interval > 1 ||
        diff->profiles[1]->sample_interval > 1)
        figures_write_intervals(json, growth, 2);
}

/* Write null if the compared value has no such measure. */
static void write_amount(struct json *json, const char *key,
                         enum measure measure, int64_t value)
{
    if (measure == MEASURE_COUNT)
        json_null(json, key);
    else
        json_signed(json, key, value);
}

static void write_side(struct json *json, const char *key,
                       const struct diff *diff, unsigned side,
                       const struct comparison_amounts *amounts)
{
    json_begin(json, key, JSON_OBJECT);
    json_string(json, "source", diff->names[side]);
    write_amount(json, "bytes", diff->value->bytes, amounts->bytes);
    write_amount(json, "blocks", diff->value->blocks, amounts->blocks);
    json_signed(json, "slab_page_bytes", diff->slab_bytes[side]);
    json_end(json);
}

static void write_growth(struct json *json, const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct figure sums[UNITS][TIMES];

    find_amounts(sums, diff, &comparison->sum);
    json_begin(json, "growth", JSON_OBJECT);
    write_amount(json, "bytes", diff->value->bytes,
                 comparison->sum.growth.bytes);
    write_amount(json, "blocks", diff->value->blocks,
                 comparison->sum.growth.blocks);
    json_fraction(json, "percent", diff_percent(diff));
    json_fraction(json, "bound_percent", diff->has_bound ? diff->bound : NAN);
    json_bool(json, "exceeded", diff->is_exceeded);
    write_intervals(json, diff, sums);
    json_end(json);
}

/* Add the peak to the default value, live bytes. */
static void write_peak(struct json *json, const struct diff *diff)
{
    if (!diff->has_peaks)
        return;
    json_begin(json, "peak", JSON_OBJECT);
    json_signed(json, "before_bytes", diff->peaks[0]);
    json_signed(json, "after_bytes", diff->peaks[1]);
    json_fraction(
        json, "percent",
        comparison_percent(diff->peaks[0], diff->peaks[1] - diff->peaks[0]));
    json_end(json);
}

static void write_row(struct json *json, const struct diff *diff,
                      const struct comparison_row *row)
{
    static const char *const states[] = { [COMPARISON_BOTH] = "both",
                                          [COMPARISON_NEW] = "new",
                                          [COMPARISON_GONE] = "gone" };

    struct figure amounts[UNITS][TIMES];

    find_amounts(amounts, diff, row);
    json_begin(json, NULL, JSON_OBJECT);
    json_string(json, "function", row->function);
    json_string(json, "file", row->file);
    json_unsigned(json, "line", row->line);
    json_number_or_null(json, "line_before", row->state != COMPARISON_NEW,
                        row->line_before);
    json_unsigned(json, "lines_before", row->places_before);
    json_unsigned(json, "lines_after", row->places_after);
    json_string(json, "module", row->module);
    figures_put(NULL, json, amounts[BYTES], TIMES);
    figures_put(NULL, json, amounts[BLOCKS], TIMES);
    json_string(json, "state", states[row->state]);
    json_bool(json, "accurate", !row->is_inaccurate);
    json_bool(json, "growth_accurate", !row->is_unsure);
    write_intervals(json, diff, amounts);
    json_end(json);
}

/* Return the stack number of each node that a row needs; the caller frees them.
   Parents have lower numbers. */
static uint32_t *add_stacks(const struct diff *diff,
                            struct stack_tables *tables)
{
    const struct stack_comparison *stacks = diff->stacks;
    const struct call_node *nodes = stacks->tree.nodes;
    uint32_t *numbers = memory_zeroed(stacks->tree.count + 1, sizeof *numbers);

    for (size_t i = 0; i < stacks->changed_count && i < diff->row_limit; i++) {
        for (uint32_t node = stacks->changed[i]; node != 0 && !numbers[node];
             node = nodes[node].parent)
            numbers[node] = true;
    }
    numbers[0] = STACK_TABLES_NONE;
    for (size_t i = 1; i < stacks->tree.count; i++) {
        if (numbers[i] != 0)
            numbers[i] = stack_tables_add(tables, numbers[nodes[i].parent],
                                          &nodes[i].name->name, NULL);
    }
    return numbers;
}

static void write_stacks(struct json *json, const struct diff *diff)
{
    const struct stack_comparison *stacks = diff->stacks;
    enum measure bytes = diff->value->bytes, blocks = diff->value->blocks;
    struct stack_tables tables = { 0 };
    uint32_t *numbers = add_stacks(diff, &tables);

    json_begin(json, "stacks", JSON_ARRAY);
    for (size_t i = 0; i < stacks->changed_count && i < diff->row_limit; i++) {
        uint32_t node = stacks->changed[i];
        const int64_t *own = call_tree_own(&stacks->tree, node);

        json_begin(json, NULL, JSON_LINE_OBJECT);
        write_amount(json, "bytes_before", bytes, own[COMPARED_BEFORE]);
        write_amount(json, "bytes_after", bytes, own[COMPARED_AFTER]);
        write_amount(json, "bytes_growth", bytes,
                     own[COMPARED_AFTER] - own[COMPARED_BEFORE]);
        write_amount(json, "blocks_before", blocks,
                     own[COMPARED_BLOCKS_BEFORE]);
        write_amount(json, "blocks_after", blocks, own[COMPARED_BLOCKS_AFTER]);
        json_number_or_null(json, "stack", node != 0, numbers[node]);
        json_end(json);
    }
    json_end(json);
    stack_tables_write(&tables, json);
    stack_tables_free(&tables);
    free(numbers);
}

void diff_write_json(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_string(&json, "value", diff->value->name);
    write_side(&json, "before", diff, 0, &comparison->sum.before);
    write_side(&json, "after", diff, 1, &comparison->sum.after);
    write_between(&json, diff);
    write_growth(&json, diff);
    write_peak(&json, diff);
    json_bool(&json, "lossy", diff->is_lossy);
    json_strings(&json, "wrappers", JSON_LINE_ARRAY, diff->wrappers.texts,
                 diff->wrappers.count);
    json_begin(&json, "rows", JSON_ARRAY);
    for (size_t i = 0; i < comparison->count && i < diff->row_limit; i++)
        write_row(&json, diff, &comparison->rows[i]);
    json_end(&json);
    if (diff->stacks != NULL)
        write_stacks(&json, diff);
    json_end(&json);
}
