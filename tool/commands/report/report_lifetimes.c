/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_lifetimes.c - how long blocks lived, as samples tell
 */
#include "tool/commands/report/report_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/report/figures.h"
#include "tool/render/estimate_text.h"
#include "tool/render/table.h"
#include "tool/text/number.h"

enum { CALLS_SHOWN = 8, LIMIT_SIZE = 32 };

static const struct table_column columns[] = {
    { "TOTAL BYTES", TABLE_RIGHT },
    { "PROMOTED", TABLE_RIGHT },
    { "SURVIVED", TABLE_RIGHT },
    { "LIFETIME", TABLE_LEFT },
    { "STACK, INNERMOST CALL FIRST", TABLE_LEFT },
};

/* A stack, or a site where stacks are not known. */
struct row {
    const struct profile_amounts *amounts;
    const struct lifetimes *lifetimes; /* NULL: not sampled */
};

static size_t row_count(const struct report *report)
{
    return report->frames != NULL ? report->stack_count : report->heap_count;
}

static struct row row_at(const struct report *report, size_t number)
{
    if (report->frames != NULL) {
        const struct profile_stack *stack =
            &report->profile->stacks.stacks[report->stacks[number]];

        return (struct row){ &stack->amounts, stack->lifetimes };
    }
    return (struct row){
        &report->profile->sites[report->heap[number]].amounts,
        report->profile->sites[report->heap[number]].lifetimes,
    };
}

/* "4 KiB": limits are whole numbers of a unit. */
static void name_limit(char out[NUMBER_SIZE], uint64_t limit)
{
    static const char *const units[] = { "KiB", "MiB", "GiB" };
    unsigned unit = 0;

    for (limit >>= 10; limit >= 1024; limit >>= 10)
        unit++;
    snprintf(out, NUMBER_SIZE, "%" PRIu64 " %s", limit, units[unit]);
}

static const char *name_class(char out[LIMIT_SIZE], unsigned life_class)
{
    char limit[NUMBER_SIZE];

    if (life_class == 0)
        return "freed at once";
    if (life_class == LEDGER_LIFE_CLASSES)
        return "not freed";
    if (life_class == LEDGER_LIFE_CLASSES - 1) {
        name_limit(limit, ledger_life_limit(life_class - 1));
        snprintf(out, LIMIT_SIZE, "%.16s or more", limit);
        return out;
    }
    name_limit(limit, ledger_life_limit(life_class));
    snprintf(out, LIMIT_SIZE, "below %.16s", limit);
    return out;
}

typedef struct share share_fn(const struct profile *profile,
                              const struct lifetime_sum *part,
                              const struct lifetime_sum *whole);

static struct share promoted(const struct profile *profile,
                             const struct lifetimes *lifetimes)
{
    return share_of_blocks(profile, &lifetimes->sums[LEDGER_LIFE_PROMOTED],
                           &lifetimes->sums[LEDGER_LIFE_YOUNG]);
}

/* Of bytes or blocks, as `measure` takes them. */
static struct share survived(const struct profile *profile,
                             const struct lifetimes *lifetimes,
                             share_fn *measure)
{
    struct lifetime_sum live = lifetimes_live(lifetimes);

    return measure(profile, &live, &lifetimes->sums[LEDGER_LIFE_ALLOCATED]);
}

static void add_share(struct table *table, struct share share)
{
    char text[ESTIMATE_TEXT_SIZE];

    table_add(table, estimate_share(text, &share));
}

static void add_lifetimes(struct table *table, const struct report *report,
                          const struct row *row)
{
    static const struct lifetimes none = { 0 };
    const struct lifetimes *lifetimes =
        row->lifetimes == NULL ? &none : row->lifetimes;
    const struct figures of = { report->profile, NULL, row->amounts,
                                row->lifetimes != NULL };
    char text[ESTIMATE_TEXT_SIZE];
    char limit[LIMIT_SIZE];

    table_add(table, figure_text(text, &of, FIGURE_TOTAL_BYTES));
    add_share(table, promoted(report->profile, lifetimes));
    add_share(table, survived(report->profile, lifetimes, share_of_bytes));
    table_add(table, lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples == 0
                         ? "-"
                         : name_class(limit, lifetimes_median(lifetimes)));
}

/* The calls of a stack in one line. 0, or -1 without memory. */
static int add_calls(struct table *table, const struct report *report,
                     size_t number)
{
    const struct profile_stack *stack =
        &report->profile->stacks.stacks[report->stacks[number]];
    const struct frame_name *name;
    char few[FEW_SAMPLES_SIZE];
    struct stack_walk walk;
    size_t size, count = 0, left = 0;
    char *line = NULL;
    FILE *out = open_memstream(&line, &size);

    if (out == NULL)
        return -1;
    stack_walk_begin(&walk, report->frames, stack);
    while ((name = stack_walk_next(&walk)) != NULL) {
        if (count++ < CALLS_SHOWN)
            fprintf(out, "%s%s", count == 1 ? "" : " < ", name->label);
        else
            left++;
    }
    if (left > 0)
        fprintf(out, " < %zu more", left);
    if (walk.is_cut)
        fputs(" < [truncated]", out);
    fputs(figure_few_samples(few, report->profile, stack->lifetimes), out);
    if (fclose(out) != 0 || walk.is_incomplete) {
        free(line);
        return -1;
    }
    table_add(table, line);
    free(line);
    return 0;
}

static int add_row(struct table *table, const struct report *report,
                   size_t number)
{
    struct row row = row_at(report, number);
    const struct site_name *name;

    add_lifetimes(table, report, &row);
    if (report->frames != NULL)
        return add_calls(table, report, number);
    name = &report->names->sites[report->heap[number]];
    table_add(table, name->function == NULL ? "?" : name->function);
    return 0;
}

static void add_rest(struct table *table, const struct report *report)
{
    struct profile_amounts amounts = { 0 };
    struct lifetimes lifetimes = { 0 };

    for (size_t i = report->row_limit; i < row_count(report); i++) {
        struct row row = row_at(report, i);

        amounts_add_settled(&amounts, row.amounts);
        if (row.lifetimes != NULL)
            lifetimes_add(&lifetimes, row.lifetimes);
    }
    add_lifetimes(table, report, &(struct row){ &amounts, &lifetimes });
    table_add_format(table, "(%zu more)",
                     row_count(report) - report->row_limit);
}

static int write_rows(const struct report *report)
{
    struct table *table =
        table_create(columns, sizeof columns / sizeof columns[0]);
    int error = 0;

    for (size_t i = 0;
         error == 0 && i < row_count(report) && i < report->row_limit; i++)
        error = add_row(table, report, i);
    if (error == 0 && row_count(report) > report->row_limit)
        add_rest(table, report);
    if (error == 0)
        return table_show(table, report->color);
    table_destroy(table);
    return error;
}

static void print_class(const struct report *report, const char *name,
                        const struct lifetime_sum *part,
                        const struct lifetime_sum *all)
{
    struct share bytes = share_of_bytes(report->profile, part, all);
    struct share blocks = share_of_blocks(report->profile, part, all);
    char bytes_text[ESTIMATE_TEXT_SIZE], blocks_text[ESTIMATE_TEXT_SIZE];

    printf("  %-18s %20s %20s\n", name, estimate_share(bytes_text, &bytes),
           estimate_share(blocks_text, &blocks));
}

/* The whole program. */
static void write_classes(const struct report *report)
{
    const struct lifetimes *lifetimes = &report->profile->lifetimes;
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    struct lifetime_sum live = lifetimes_live(lifetimes);
    char limit[LIMIT_SIZE], text[ESTIMATE_TEXT_SIZE];
    struct share share = promoted(report->profile, lifetimes);

    report_print_heading(report, "Lifetimes, in bytes allocated meanwhile");
    printf("  %-18s %20s %20s\n", "", "OF BYTES", "OF BLOCKS");
    for (unsigned i = 0; i < LEDGER_LIFE_CLASSES; i++)
        print_class(report, name_class(limit, i),
                    &lifetimes->sums[LEDGER_LIFE_FREED + i], all);
    print_class(report, name_class(limit, LEDGER_LIFE_CLASSES), &live, all);
    printf("  of young blocks %s were promoted\n",
           estimate_share(text, &share));
}

int report_write_lifetimes(const struct report *report)
{
    int error = write_rows(report);

    if (error == 0)
        write_classes(report);
    return error;
}

static void write_share(struct json *json, const char *key, struct share share)
{
    if (!share.is_known) {
        json_null(json, key);
        return;
    }
    json_begin(json, key, JSON_OBJECT);
    json_fraction(json, "share", share.value);
    json_fraction(json, "low", share.interval.low);
    json_fraction(json, "high", share.interval.high);
    json_end(json);
}

static void write_class(struct json *json, const struct profile *profile,
                        const struct lifetimes *lifetimes, unsigned life_class)
{
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    const struct lifetime_sum *sum =
        &lifetimes->sums[LEDGER_LIFE_FREED + life_class];

    json_begin(json, NULL, JSON_OBJECT);
    json_known(json, "below", life_class != LEDGER_LIFE_CLASSES - 1,
               ledger_life_limit(life_class));
    json_unsigned(json, "samples", sum->samples);
    json_unsigned(json, "bytes", sum->bytes);
    json_unsigned(json, "blocks", sum->blocks);
    write_share(json, "of_bytes", share_of_bytes(profile, sum, all));
    write_share(json, "of_blocks", share_of_blocks(profile, sum, all));
    json_end(json);
}

void report_write_lifetimes_json(struct json *json,
                                 const struct profile *profile,
                                 const struct lifetimes *lifetimes)
{
    if (lifetimes == NULL) {
        json_null(json, "lifetimes");
        return;
    }
    json_begin(json, "lifetimes", JSON_OBJECT);
    json_unsigned(json, "samples",
                  lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples);
    write_share(json, "promoted", promoted(profile, lifetimes));
    write_share(json, "survived_bytes",
                survived(profile, lifetimes, share_of_bytes));
    write_share(json, "survived_blocks",
                survived(profile, lifetimes, share_of_blocks));
    json_begin(json, "freed", JSON_ARRAY);
    for (unsigned i = 0; i < LEDGER_LIFE_CLASSES; i++)
        write_class(json, profile, lifetimes, i);
    json_end(json);
    json_end(json);
}
