/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text.c - a report for people
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/figures.h"
#include "tool/commands/report/report_parts.h"
#include "tool/render/table.h"
#include "tool/text/number.h"

static void print_process(const struct report *report)
{
    const struct profile_image *image = report->profile->images;

    if (report->profile->calls != NULL) {
        report_calls_print_head(report);
        return;
    }
    if (report->profile->image_count == 0) {
        report_print_safe(report->source);
        printf(report->profile->text.reports != 0
                   ? " (largest rows of a kernel's log, as version %u.0)\n\n"
                   : " (allocinfo text, version %u.0)\n\n",
               report->profile->allocinfo_version);
        return;
    }
    report_print_safe(image->command_line[0] != '\0' ? image->command_line
                                                     : image->program);
    printf(" (process %" PRIu32 "%s%s", image->pid,
           (image->flags & LEDGER_FLAG_FORKED) != 0 ? ", a forked child" : "",
           image->has_ended ? "" : ", running when it was read");
    if (image->control != LEDGER_CONTROL_ON)
        printf(", vm.mem_profiling=%s", report_profiling(image));
    puts(")");
    figures_print_sampling(report->profile);
    if (report->is_sum_of_images)
        printf("and %zu more process images, summed\n",
               report->profile->image_count - 1);
    putchar('\n');
}

/* What a table of call sites shows, in its order; NULL ends it. */
struct column {
    const char *title;
    enum figure figure;
};

enum { COLUMN_LIMIT = 7 };

static const struct column columns_plain[COLUMN_LIMIT] = {
    { "LIVE BYTES", FIGURE_LIVE_BYTES },
    { "LIVE BLOCKS", FIGURE_LIVE_BLOCKS },
    { "TOTAL BYTES", FIGURE_TOTAL_BYTES },
    { "TOTAL BLOCKS", FIGURE_TOTAL_BLOCKS },
};

/* With those that a forked child's ledger has. */
static const struct column columns_inherited[COLUMN_LIMIT] = {
    { "LIVE BYTES", FIGURE_LIVE_BYTES },
    { "LIVE BLOCKS", FIGURE_LIVE_BLOCKS },
    { "INHERITED BYTES", FIGURE_INHERITED_BYTES },
    { "INHERITED BLOCKS", FIGURE_INHERITED_BLOCKS },
    { "TOTAL BYTES", FIGURE_TOTAL_BYTES },
    { "TOTAL BLOCKS", FIGURE_TOTAL_BLOCKS },
};

/* Of a source that knows no totals. */
static const struct column columns_live[COLUMN_LIMIT] = {
    { "LIVE BYTES", FIGURE_LIVE_BYTES },
    { "LIVE BLOCKS", FIGURE_LIVE_BLOCKS },
};

static const struct column columns_of_views[][COLUMN_LIMIT] = {
    [REPORT_PEAK] = { { "PEAK BYTES", FIGURE_PEAK_BYTES },
                      { "PEAK BLOCKS", FIGURE_PEAK_BLOCKS },
                      { "LIVE BYTES", FIGURE_LIVE_BYTES } },
    [REPORT_LEAKS] = { { "LEAKED BYTES", FIGURE_LIVE_BYTES },
                       { "LEAKED BLOCKS", FIGURE_LIVE_BLOCKS },
                       { "OF BLOCKS", FIGURE_TOTAL_BLOCKS } },
    [REPORT_TEMPORARY] = { { "TEMPORARY", FIGURE_TEMPORARY },
                           { "OF BLOCKS", FIGURE_TOTAL_BLOCKS },
                           { "TOTAL BYTES", FIGURE_TOTAL_BYTES } },
};

/* Maps have no peaks. */
static const struct column *columns_of(const struct report *report,
                                       bool is_maps)
{
    if (report->view != REPORT_ALL && !is_maps)
        return columns_of_views[report->view];
    if (report->profile->lacks_totals)
        return columns_live;
    return profile_has_inherited(report->profile) ? columns_inherited
                                                  : columns_plain;
}

static void add_figures(struct table *table, const struct column *columns,
                        const struct figures *of)
{
    char text[ESTIMATE_TEXT_SIZE];

    for (; columns->title != NULL; columns++)
        table_add(table, figure_text(text, of, columns->figure));
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

    figure_few_samples(few, profile, site->lifetimes);
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

/* The rows beyond the limit as one. */
static void add_rest(struct table *table, const struct column *columns,
                     const struct report *report, const size_t *sites,
                     size_t count, bool is_maps)
{
    struct profile_amounts sum = { 0 };

    for (size_t i = report->row_limit; i < count; i++)
        amounts_add_settled(&sum, &report->profile->sites[sites[i]].amounts);
    add_figures(table, columns,
                &(struct figures){ report->profile, NULL, &sum, !is_maps });
    table_add_format(table, "(%zu more)", count - report->row_limit);
    table_add(table, "-");
    table_add(table, "-");
}

static int print_table(const struct report *report, const size_t *sites,
                       size_t count, bool is_maps)
{
    const struct column *shown = columns_of(report, is_maps);
    struct table_column columns[COLUMN_LIMIT + 3];
    unsigned column_count = 0;
    struct table *table;

    for (; shown[column_count].title != NULL; column_count++)
        columns[column_count] =
            (struct table_column){ shown[column_count].title, TABLE_RIGHT };
    columns[column_count++] = (struct table_column){ "FUNCTION", TABLE_LEFT };
    columns[column_count++] =
        (struct table_column){ "FILE:LINE", TABLE_LEFT_END };
    columns[column_count++] = (struct table_column){ "MODULE", TABLE_LEFT };
    table = table_create(columns, column_count);
    for (size_t i = 0; i < count && i < report->row_limit; i++) {
        const struct profile_site *site = &report->profile->sites[sites[i]];

        add_figures(table, shown,
                    &(struct figures){ report->profile, site, &site->amounts,
                                       site->is_estimate });
        add_name(table, report->profile, &report->names->sites[sites[i]], site);
    }
    if (count > report->row_limit)
        add_rest(table, shown, report, sites, count, is_maps);
    return table_show(table, report->color);
}

static int print_maps(const struct report *report)
{
    if (report->map_count == 0)
        return 0;
    report_print_heading(report, "Anonymous maps, not in the totals above");
    return print_table(report, report->maps, report->map_count, true);
}

static void print_image(const struct report *report,
                        const struct report_image *image)
{
    printf("  process %" PRIu32 ", image %" PRIu32 ": ", image->file->pid,
           image->file->generation);
    if (!image->is_readable) {
        report_print_safe(report->profile->calls == NULL
                              ? "its ledger cannot be read"
                              : image->file->path);
        putchar('\n');
        return;
    }
    report_print_safe(image->program);
    printf("%s, %s%s bytes live, %s bytes in total\n",
           image->is_running ? ", running when it was read" : "",
           image->is_estimate ? "about " : "",
           NUMBER_SIGNED(image->heap.live_bytes),
           NUMBER(image->heap.alloc_bytes));
}

static void print_images(const struct report *report)
{
    if (report->image_count == 0)
        return;
    report_print_heading(report,
                         report->profile->calls == NULL
                             ? "Other process images (--all sums them)"
                             : "Other process images, in traces of their own");
    for (size_t i = 0; i < report->image_count; i++)
        print_image(report, &report->images[i]);
}

static int write_rows(const struct report *report)
{
    bool is_tree = report->callers_of != NULL || report->is_reverse;

    if (report->view == REPORT_LIFETIMES && !is_tree)
        return report_write_lifetimes(report);
    if (!is_tree &&
        print_table(report, report->heap, report->heap_count, false) < 0)
        return -1;
    return report_write_callers(report);
}

int report_write_text(const struct report *report)
{
    print_process(report);
    if (write_rows(report) < 0)
        return -1;
    report_print_heading(report, report->profile->text.reports != 0
                                     ? "Totals of these rows"
                                     : "Totals");
    figures_print(report->profile);
    if (report->profile->calls != NULL && report_calls_print(report) < 0)
        return -1;
    if (report->view == REPORT_ALL && print_maps(report) < 0)
        return -1;
    if (report->has_sizes)
        report_write_sizes(report);
    report_write_resident(report);
    report_write_trust(report);
    print_images(report);
    return 0;
}
