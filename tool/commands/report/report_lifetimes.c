/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_lifetimes.c - how long blocks lived, as samples tell
 */
#include "tool/commands/report/report_parts.h"

#include <inttypes.h>

#include "tool/commands/figures/site_figures.h"

enum { CALLS_SHOWN = 8, LIMIT_SIZE = 32 };

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

/* `first` is what stands before the shares. */
static void put_shares(struct table **table, struct json *json,
                       const struct profile *profile, struct figure first,
                       const struct lifetimes *lifetimes, const char *stack)
{
    const struct lifetime_sum *sums = lifetimes->sums;
    const struct lifetime_sum *all = &sums[LEDGER_LIFE_ALLOCATED];
    struct lifetime_sum live = lifetimes_live(lifetimes);
    char limit[LIMIT_SIZE];
    const struct figure figures[] = {
        first,
        { "promoted", NULL, FIGURE_SHARE,
          .share = share_of_blocks(profile, &sums[LEDGER_LIFE_PROMOTED],
                                   &sums[LEDGER_LIFE_YOUNG]) },
        { "survived_bytes", "SURVIVED", FIGURE_SHARE,
          .share = share_of_bytes(profile, &live, all) },
        { "survived_blocks", NULL, FIGURE_SHARE,
          .share = share_of_blocks(profile, &live, all) },
        { NULL, "LIFETIME", FIGURE_TEXT,
          .text = all->samples == 0
                      ? NULL
                      : name_class(limit, lifetimes_median(lifetimes)) },
        { NULL, "STACK, INNERMOST CALL FIRST", FIGURE_TEXT, .text = stack },
    };

    figures_put(table, json, figures, sizeof figures / sizeof figures[0]);
}

static void add_row(struct table **table, const struct report *report,
                    const struct report_row *row, const char *stack)
{
    static const struct lifetimes none = { 0 };
    const struct site_figures of = { report->profile, NULL, row->amounts,
                                     row->lifetimes != NULL };

    put_shares(table, NULL, report->profile,
               site_figure_cell(&of, SITE_TOTAL_BYTES),
               row->lifetimes == NULL ? &none : row->lifetimes, stack);
}

char *report_calls_of(const struct report *report,
                      const struct profile_stack *stack)
{
    const struct frame_name *name;
    char few[FEW_SAMPLES_SIZE];
    struct stack_walk walk;
    size_t size, count = 0, left = 0;
    char *line = NULL;
    FILE *out = memory_or_exit(open_memstream(&line, &size));

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
    fputs(site_figures_few(few, report->profile,
                           stacks_lifetimes(&report->profile->stacks, stack)),
          out);
    if (fclose(out) != 0)
        exit_out_of_memory();
    return line;
}

static void add_row_at(struct table **table, const struct report *report,
                       size_t number)
{
    struct report_row row =
        report_row_at(report, &report->rows[LEDGER_SITE_HEAP], number);
    OWNED char *calls =
        row.stack == NULL ? NULL : report_calls_of(report, row.stack);
    const char *name =
        row.stack == NULL ? report->names->sites[row.site].function : calls;

    add_row(table, report, &row, name == NULL ? "?" : name);
}

static void write_rows(const struct report *report)
{
    const struct report_row none = { .amounts = &report->profile->heap };
    struct profile_amounts amounts = { 0 };
    struct lifetimes lifetimes = { 0 };
    size_t count = report_row_count(report, &report->rows[LEDGER_SITE_HEAP]),
           left = 0;
    struct table *table = NULL;
    char name[32];

    add_row(&table, report, &none, NULL);
    table_clear(table);
    for (size_t i = 0; i < count && i < report->row_limit; i++)
        add_row_at(&table, report, i);
    for (size_t i = report->row_limit; i < count; i++) {
        struct report_row row =
            report_row_at(report, &report->rows[LEDGER_SITE_HEAP], i);

        amounts_add_settled(&amounts, row.amounts);
        if (row.lifetimes != NULL)
            lifetimes_add(&lifetimes, row.lifetimes);
        left++;
    }
    snprintf(name, sizeof name, "(%zu more)", left);
    if (left > 0)
        add_row(&table, report,
                &(struct report_row){ .amounts = &amounts,
                                      .lifetimes = &lifetimes },
                name);
    table_show(table, report->color);
}

/* Return shares of all blocks, by bytes and by number. */
static void find_parts(struct figure out[2], const struct profile *profile,
                       const struct lifetimes *lifetimes,
                       const struct lifetime_sum *part)
{
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];

    out[0] = (struct figure){ "of_bytes", "OF BYTES", FIGURE_SHARE,
                              .share = share_of_bytes(profile, part, all) };
    out[1] = (struct figure){ "of_blocks", "OF BLOCKS", FIGURE_SHARE,
                              .share = share_of_blocks(profile, part, all) };
}

static void print_class(const struct profile *profile, unsigned life_class,
                        const struct lifetime_sum *part)
{
    char limit[LIMIT_SIZE], text[2][ESTIMATE_TEXT_SIZE];
    struct figure parts[2];

    find_parts(parts, profile, &profile->lifetimes, part);
    printf("  %-18s %20s %20s\n", name_class(limit, life_class),
           figure_text(text[0], &parts[0]), figure_text(text[1], &parts[1]));
}

void report_write_lifetimes(const struct report *report)
{
    const struct profile *profile = report->profile;
    const struct lifetimes *lifetimes = &profile->lifetimes;
    struct lifetime_sum live = lifetimes_live(lifetimes);

    write_rows(report);
    report_print_heading(report, "Lifetimes, in bytes allocated meanwhile");
    printf("  %-18s %20s %20s\n", "", "OF BYTES", "OF BLOCKS");
    for (unsigned i = 0; i < LEDGER_LIFE_CLASSES; i++)
        print_class(profile, i, &lifetimes->sums[LEDGER_LIFE_FREED + i]);
    print_class(profile, LEDGER_LIFE_CLASSES, &live);
}

static void write_class(struct json *json, const struct profile *profile,
                        const struct lifetimes *lifetimes, unsigned life_class)
{
    const struct lifetime_sum *sum =
        &lifetimes->sums[LEDGER_LIFE_FREED + life_class];
    struct figure parts[2];

    find_parts(parts, profile, lifetimes, sum);
    json_begin(json, NULL, JSON_OBJECT);
    json_number_or_null(json, "below", life_class != LEDGER_LIFE_CLASSES - 1,
                        ledger_life_limit(life_class));
    json_unsigned(json, "samples", sum->samples);
    json_unsigned(json, "bytes", sum->bytes);
    json_unsigned(json, "blocks", sum->blocks);
    figures_put(NULL, json, parts, 2);
    json_end(json);
}

void report_write_lifetimes_json(struct json *json,
                                 const struct profile *profile,
                                 const struct lifetimes *lifetimes)
{
    struct figure samples = { "samples", NULL, .number = 0 };

    if (lifetimes == NULL) {
        json_null(json, "lifetimes");
        return;
    }
    samples.number = lifetimes->sums[LEDGER_LIFE_ALLOCATED].samples;
    json_begin(json, "lifetimes", JSON_OBJECT);
    put_shares(NULL, json, profile, samples, lifetimes, NULL);
    json_begin(json, "freed", JSON_ARRAY);
    for (unsigned i = 0; i < LEDGER_LIFE_CLASSES; i++)
        write_class(json, profile, lifetimes, i);
    json_end(json);
    json_end(json);
}
