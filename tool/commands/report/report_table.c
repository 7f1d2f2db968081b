/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_table.c - the call sites of a report as a table
 */
#include "tool/commands/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/report/report_estimates.h"
#include "tool/render/table.h"
#include "tool/text/number.h"

enum column_set {
    COLUMNS_PLAIN,
    COLUMNS_INHERITED, /* with the column that a forked child's ledger has */
    COLUMNS_LIVE,      /* of a source that knows no totals */
    COLUMNS_PEAK,
    COLUMNS_LEAKS,
    COLUMNS_TEMPORARY,
};

#define NAME_COLUMNS                                             \
    { "FUNCTION", TABLE_LEFT }, { "FILE:LINE", TABLE_LEFT_END }, \
    {                                                            \
        "MODULE", TABLE_LEFT                                     \
    }

static const struct table_column columns[] = {
    { "LIVE BYTES", TABLE_RIGHT },
    { "LIVE BLOCKS", TABLE_RIGHT },
    { "TOTAL BYTES", TABLE_RIGHT },
    { "TOTAL BLOCKS", TABLE_RIGHT },
    NAME_COLUMNS,
};

static const struct table_column columns_live[] = {
    { "LIVE BYTES", TABLE_RIGHT },
    { "LIVE BLOCKS", TABLE_RIGHT },
    NAME_COLUMNS,
};

static const struct table_column columns_inherited[] = {
    { "LIVE BYTES", TABLE_RIGHT },
    { "LIVE BLOCKS", TABLE_RIGHT },
    { "INHERITED BYTES", TABLE_RIGHT },
    { "INHERITED BLOCKS", TABLE_RIGHT },
    { "TOTAL BYTES", TABLE_RIGHT },
    { "TOTAL BLOCKS", TABLE_RIGHT },
    NAME_COLUMNS,
};

static const struct table_column columns_peak[] = {
    { "PEAK BYTES", TABLE_RIGHT },
    { "PEAK BLOCKS", TABLE_RIGHT },
    { "LIVE BYTES", TABLE_RIGHT },
    NAME_COLUMNS,
};

static const struct table_column columns_leaks[] = {
    { "LEAKED BYTES", TABLE_RIGHT },
    { "LEAKED BLOCKS", TABLE_RIGHT },
    { "OF BLOCKS", TABLE_RIGHT },
    NAME_COLUMNS,
};

static const struct table_column columns_temporary[] = {
    { "TEMPORARY", TABLE_RIGHT },
    { "OF BLOCKS", TABLE_RIGHT },
    { "TOTAL BYTES", TABLE_RIGHT },
    NAME_COLUMNS,
};

/* What each set shows, in its order; MEASURE_COUNT ends it. */
static const enum measure measures[][5] = {
    [COLUMNS_PLAIN] = { MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS,
                        MEASURE_TOTAL_BYTES, MEASURE_TOTAL_BLOCKS,
                        MEASURE_COUNT },
    [COLUMNS_INHERITED] = { MEASURE_TOTAL_BYTES, MEASURE_TOTAL_BLOCKS,
                            MEASURE_COUNT },
    [COLUMNS_LIVE] = { MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS, MEASURE_COUNT },
    [COLUMNS_PEAK] = { MEASURE_PEAK_BYTES, MEASURE_PEAK_BLOCKS,
                       MEASURE_LIVE_BYTES, MEASURE_COUNT },
    [COLUMNS_LEAKS] = { MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS,
                        MEASURE_TOTAL_BLOCKS, MEASURE_COUNT },
    [COLUMNS_TEMPORARY] = { MEASURE_TEMPORARY, MEASURE_TOTAL_BLOCKS,
                            MEASURE_TOTAL_BYTES, MEASURE_COUNT },
};

/* Whether numbers of a row are estimates. */
struct kind {
    enum column_set set;
    const struct profile *profile;
    bool is_estimate;
};

/* Of what a child has from its parent only the number is known. */
static void add_inherited_number(struct table *table, bool is_estimate,
                                 uint64_t value)
{
    char number[NUMBER_SIZE];
    char text[NUMBER_SIZE + 8];

    snprintf(text, sizeof text, "%s%s",
             is_estimate && value != 0 ? "about " : "",
             number_unsigned(number, value));
    table_add(table, text);
}

static void add_measure(struct table *table, const struct kind *kind,
                        const struct profile_amounts *amounts,
                        enum measure measure)
{
    char text[ESTIMATE_TEXT_SIZE];

    table_add(table, report_measure_text(text, kind->profile, kind->is_estimate,
                                         amounts, measure));
}

static void add_inherited(struct table *table, const struct kind *kind,
                          const struct profile_amounts *amounts)
{
    bool is_estimate = kind->is_estimate && kind->profile->sample_interval > 1;

    add_inherited_number(table, is_estimate, amounts->inherited_bytes);
    add_inherited_number(table, is_estimate, amounts->inherited_blocks);
}

static void add_amounts(struct table *table, const struct kind *kind,
                        const struct profile_amounts *amounts)
{
    if (kind->set == COLUMNS_INHERITED) {
        add_measure(table, kind, amounts, MEASURE_LIVE_BYTES);
        add_measure(table, kind, amounts, MEASURE_LIVE_BLOCKS);
        add_inherited(table, kind, amounts);
    }
    for (size_t i = 0; measures[kind->set][i] != MEASURE_COUNT; i++)
        add_measure(table, kind, amounts, measures[kind->set][i]);
}

/* A site without a name is shown as MODULE+0xADDRESS; addr2line takes it. */
static void add_name(struct table *table, const struct profile *profile,
                     const struct site_name *name,
                     const struct profile_site *site)
{
    char few[FEW_SAMPLES_SIZE];
    const char *module = name->module == NULL ? "" : base_name(name->module);
    char place[SITE_PLACE_SIZE];
    bool has_name = name->function != NULL;
    char *line;

    report_few_samples(few, profile, site->lifetimes);
    table_add_format(table, "%s%s%s%s", has_name ? name->function : module,
                     has_name || module[0] == '\0' ? "" : "+",
                     has_name ? "" : site_place(place, site),
                     site->is_inaccurate ? " (inaccurate)" : few);
    if (name->file == NULL) {
        table_add(table, "-");
    } else {
        line = site_line(name->file, name->line);
        table_add(table, line);
        free(line);
    }
    table_add(table, module[0] == '\0' ? "-" : module);
}

static void add_rest(struct table *table, const struct kind *kind,
                     const struct report *report, const size_t *sites,
                     size_t count)
{
    struct profile_amounts sum = { 0 };
    char text[64];

    for (size_t i = report->row_limit; i < count; i++)
        amounts_add_settled(&sum, &report->profile->sites[sites[i]].amounts);
    add_amounts(table, kind, &sum);
    snprintf(text, sizeof text, "(%zu more)", count - report->row_limit);
    table_add(table, text);
    table_add(table, "-");
    table_add(table, "-");
}

/* Maps have no peaks. */
static enum column_set columns_of(const struct report *report, bool is_maps)
{
    static const enum column_set views[] = {
        [REPORT_PEAK] = COLUMNS_PEAK,
        [REPORT_LEAKS] = COLUMNS_LEAKS,
        [REPORT_TEMPORARY] = COLUMNS_TEMPORARY,
    };
    const struct profile *profile = report->profile;

    if (report->view != REPORT_ALL && !is_maps)
        return views[report->view];
    if (profile->lacks_totals)
        return COLUMNS_LIVE;
    return profile_has_inherited(profile) ? COLUMNS_INHERITED : COLUMNS_PLAIN;
}

int report_write_table(const struct report *report, const size_t *sites,
                       size_t count, bool is_maps)
{
    static const struct {
        const struct table_column *columns;
        unsigned count;
    } sets[] = {
#define COLUMN_SET(columns) { columns, sizeof(columns) / sizeof((columns)[0]) }
        [COLUMNS_PLAIN] = COLUMN_SET(columns),
        [COLUMNS_INHERITED] = COLUMN_SET(columns_inherited),
        [COLUMNS_LIVE] = COLUMN_SET(columns_live),
        [COLUMNS_PEAK] = COLUMN_SET(columns_peak),
        [COLUMNS_LEAKS] = COLUMN_SET(columns_leaks),
        [COLUMNS_TEMPORARY] = COLUMN_SET(columns_temporary),
#undef COLUMN_SET
    };
    enum column_set set = columns_of(report, is_maps);
    struct kind kind = { set, report->profile, false };
    struct table *table = table_create(sets[set].columns, sets[set].count);
    int error;

    if (table == NULL)
        return -1;
    for (size_t i = 0; i < count && i < report->row_limit; i++) {
        const struct profile_site *site = &report->profile->sites[sites[i]];

        kind.is_estimate = site->is_estimate;
        add_amounts(table, &kind, &site->amounts);
        add_name(table, report->profile, &report->names->sites[sites[i]], site);
    }
    kind.is_estimate = !is_maps;
    if (count > report->row_limit)
        add_rest(table, &kind, report, sites, count);
    error =
        table_print(table, stdout, terminal_width(stdout),
                    terminal_has_color(report->color, stdout) ? TABLE_COLORED
                                                              : TABLE_PLAIN);
    table_destroy(table);
    return error;
}
