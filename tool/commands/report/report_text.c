/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_text.c - a report for people
 */
#include <inttypes.h>

#include "tool/commands/figures/site_figures.h"
#include "tool/commands/report/report_parts.h"

static void print_process(const struct report *report)
{
    const struct profile_image *image = report->profile->images;
    char rest[128];

    if (report->profile->calls != NULL) {
        report_calls_print_head(report);
        return;
    }
    if (report->profile->image_count == 0) {
        facet_print_safe(report->source);
        printf(report->profile->allocinfo_version == 0
                   ? " (stacks of many processes)\n\n"
               : report->profile->text.reports != 0
                   ? " (largest rows of a kernel's log, as version %u.0)\n\n"
                   : " (allocinfo text, version %u.0%s)\n\n",
               report->profile->allocinfo_version,
               report->profile->text.rounded != 0 ? ", rounded sizes" : "");
        return;
    }
    snprintf(rest, sizeof rest, " (process %" PRIu32 "%s%s%s%s%s)", image->pid,
             (image->flags & LEDGER_FLAG_FORKED) != 0 ? ", a forked child" : "",
             (image->flags & LEDGER_FLAG_ATTACHED) != 0 ? ", attached" : "",
             image->has_ended || report->profile->history.is_chosen
                 ? ""
                 : ", still running",
             image->control == LEDGER_CONTROL_ON ? "" : ", vm.mem_profiling=",
             image->control == LEDGER_CONTROL_ON ? "" : facet_profiling(image));
    report_print_head(image->command_line[0] != '\0' ? image->command_line
                                                     : image->program,
                      rest);
    site_figures_print_sampling(report->profile);
    report_print_instant(report);
    if (report_has_snapshot(report)) {
        printf("since ");
        facet_print_safe(report->since == NULL ? "the first reading"
                                               : report->since);
        printf(", %.1f s earlier: totals count from there; inherited blocks "
               "were live then\n",
               (double)report->profile->duration_ns / 1e9);
    }
    if (report->view == REPORT_OLDER)
        puts("FROM: certainly older, if all blocks freed since were older too; "
             "TO: possibly older");
    if (report->is_sum_of_images)
        printf("summed with %zu more processes\n",
               report->profile->image_count - 1);
    putchar('\n');
}

/* columns of a table of call sites, before names */
enum { PLAIN, INHERITED, LIVE, RESIDENT, LISTS, LIST_LIMIT = 7 };

static const enum site_figure lists[LISTS][LIST_LIMIT] = {
    [PLAIN] = { SITE_LIVE_BYTES, SITE_LIVE_BLOCKS, SITE_TOTAL_BYTES,
                SITE_TOTAL_BLOCKS },
    /* of a forked child */
    [INHERITED] = { SITE_LIVE_BYTES, SITE_LIVE_BLOCKS, SITE_INHERITED_BYTES,
                    SITE_INHERITED_BLOCKS, SITE_TOTAL_BYTES,
                    SITE_TOTAL_BLOCKS },
    /* source without totals */
    [LIVE] = { SITE_LIVE_BYTES, SITE_LIVE_BLOCKS },
    /* other kinds than heap */
    [RESIDENT] = { SITE_RESIDENT, SITE_LIVE_BYTES, SITE_LIVE_BLOCKS },
};

static const enum site_figure lists_of_views[][LIST_LIMIT] = {
    [REPORT_PEAK] = { SITE_PEAK_BYTES, SITE_PEAK_BLOCKS, SITE_LIVE_BYTES },
    [REPORT_LEAKS] = { SITE_LEAKED_BYTES, SITE_LEAKED_BLOCKS, SITE_OF_BLOCKS },
    [REPORT_SINCE] = { SITE_GROWTH_BYTES, SITE_GROWTH_BLOCKS, SITE_TOTAL_BYTES,
                       SITE_TOTAL_BLOCKS, SITE_FREED_BYTES, SITE_FREED_BLOCKS },
    [REPORT_OLDER] = { SITE_OLDER_BYTES, SITE_OLDER_BYTES_MOST,
                       SITE_OLDER_BLOCKS, SITE_OLDER_BLOCKS_MOST,
                       SITE_LIVE_BYTES },
    [REPORT_RESIDENT] = { SITE_RESIDENT, SITE_SLACK, SITE_ALONE,
                          SITE_ALONE_BLOCKS, SITE_UNTOUCHED, SITE_LIVE_BYTES },
    [REPORT_REALLOCS] = { SITE_GROWN, SITE_GROWN_BYTES, SITE_OF_BLOCKS,
                          SITE_TOTAL_BYTES },
    [REPORT_TEMPORARY] = { SITE_TEMPORARY, SITE_OF_BLOCKS, SITE_TOTAL_BYTES },
};

static bool shows_map_peaks(const struct report *report)
{
    return report->view == REPORT_PEAK && report->profile->has_map_peaks;
}

static const enum site_figure *list_of(const struct report *report,
                                       bool is_maps)
{
    if (is_maps && report->view == REPORT_RESIDENT)
        return lists[RESIDENT];
    if (report_has_snapshot(report) ||
        (report->view != REPORT_ALL && (!is_maps || shows_map_peaks(report))))
        return lists_of_views[report->view];
    if (report->profile->lacks_totals)
        return lists[LIVE];
    return lists[profile_has_inherited(report->profile) ? INHERITED : PLAIN];
}

/* Add one row; unknown names are NULL. */
static void add_row(struct table **table, const enum site_figure *list,
                    const struct site_figures *of, const char *name,
                    const char *place, const char *module)
{
    const struct figure names[] = {
        { NULL, "FUNCTION", FIGURE_TEXT, .text = name },
        { NULL, "FILE:LINE", FIGURE_TEXT, TABLE_LEFT_END, .text = place },
        { NULL, "MODULE", FIGURE_TEXT, TABLE_LEFT_SPARE, .text = module },
    };
    struct figure all[LIST_LIMIT + 3];
    unsigned count = 0;

    for (; list[count] != SITE_NO_FIGURE; count++) {
        all[count] = site_figure_cell(of, list[count]);
        all[count].alignment = count == 0 ? TABLE_RIGHT : TABLE_SPARE;
    }
    memcpy(all + count, names, sizeof names);
    figures_put(table, NULL, all, count + 3);
}

/* A site without a name is shown as MODULE+0xADDRESS; addr2line takes it. */
static void add_site(struct table **table, const enum site_figure *list,
                     const struct report *report, size_t number)
{
    const struct profile_site *site = &report->profile->callers[number];
    const struct site_figures of = { report->profile, site, &site->amounts,
                                     site->is_estimate };
    const struct site_name *name = &report->names->sites[number];
    const char *module = name->module == NULL ? "" : base_name(name->module);
    bool has_name = name->function != NULL;
    char few[FEW_SAMPLES_SIZE];
    OWNED char *label = NULL;
    OWNED char *line =
        name->file == NULL ? NULL : site_line(name->file, name->line);

    site_figures_few(few, report->profile, site->lifetimes);
    label = memory_print("%s%s%s%s", has_name ? name->function : module,
                         has_name || module[0] == '\0' ? "" : "+",
                         has_name ? "" : ADDRESS(site->place),
                         site->is_inaccurate ? " (inaccurate)" : few);
    add_row(table, list, &of, label, line, module[0] == '\0' ? NULL : module);
}

/* The rows beyond the limit as one. */
static void add_rest(struct table **table, const enum site_figure *list,
                     const struct report *report,
                     const struct report_rows *rows, bool is_maps)
{
    struct profile_amounts sum = { 0 };
    const struct site_figures of = { report->profile, NULL, &sum, !is_maps };
    char name[32];

    for (size_t i = report->row_limit; i < rows->site_count; i++)
        amounts_add_settled(&sum,
                            &report->profile->callers[rows->sites[i]].amounts);
    snprintf(name, sizeof name, "(%zu more)",
             rows->site_count - report->row_limit);
    add_row(table, list, &of, name, NULL, NULL);
}

static void print_table(const struct report *report,
                        const struct report_rows *rows)
{
    bool is_maps = rows != &report->rows[LEDGER_SITE_HEAP];
    const enum site_figure *list = list_of(report, is_maps);
    const struct site_figures of = site_figures_of_heap(report->profile);
    struct table *table = NULL;

    add_row(&table, list, &of, NULL, NULL, NULL);
    table_clear(table);
    for (size_t i = 0; i < rows->site_count && i < report->row_limit; i++)
        add_site(&table, list, report, rows->sites[i]);
    if (rows->site_count > report->row_limit)
        add_rest(&table, list, report, rows, is_maps);
    table_show(table, report->color);
}

static void write_rows(const struct report *report)
{
    bool is_tree = report->callers_of != NULL || report->is_reverse;

    if (report->view == REPORT_LIFETIMES && !is_tree) {
        report_write_lifetimes(report);
        return;
    }
    if (!is_tree) {
        OWNED char *wrappers = wrappers_text(&report->wrappers);

        print_table(report, &report->rows[LEDGER_SITE_HEAP]);
        if (wrappers != NULL) {
            fputs("\n  ", stdout);
            facet_print_safe(wrappers);
            putchar('\n');
        }
    }
    report_write_callers(report);
}

static const char *const headings[LEDGER_SITE_KINDS] = {
    [LEDGER_SITE_MAP] = "Mmap memory, not in the totals above",
    [LEDGER_SITE_FILE] = "File mappings (address space)",
    [LEDGER_SITE_STACK] = "Thread stacks (address space)",
};

/* Address space has trees only on request; a tree of callers has all kinds. */
static void print_kinds(const struct report *report)
{
    if (report->callers_of != NULL || report->is_reverse)
        return;
    for (size_t i = LEDGER_SITE_MAP; i < LEDGER_SITE_KINDS; i++) {
        const struct report_rows *rows = &report->rows[i];
        bool is_map = i == LEDGER_SITE_MAP;

        if (rows->site_count == 0 ||
            (report->view != REPORT_ALL && report->view != REPORT_RESIDENT &&
             !report_has_snapshot(report) &&
             !(is_map && shows_map_peaks(report))))
            continue;
        report_print_heading(report, headings[i]);
        print_table(report, rows);
        if (report->frames != NULL &&
            (is_map || report->profile->kinds != PROFILE_ALL))
            report_write_callers_of(report, rows);
    }
}

void report_write_text(const struct report *report)
{
    const struct facet_subject subject = report_subject(report);

    print_process(report);
    write_rows(report);
    if (report->row != 0 && report->rows[LEDGER_SITE_HEAP].site_count != 0) {
        accuracy_print(&subject);
        return;
    }
    report_print_heading(report, report->profile->text.reports != 0
                                     ? "Totals of these rows"
                                     : "Totals");
    site_figures_print(report->profile);
    if (report->profile->calls != NULL)
        report_calls_print(report);
    print_kinds(report);
    if (report->view == REPORT_RESIDENT)
        report_write_residency(report);
    facets_print(&subject);
    report_print_processes(report, SIZE_MAX);
}
