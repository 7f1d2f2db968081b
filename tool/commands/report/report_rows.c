/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_rows.c - which sites and stacks a report shows, and in which order
 */
#include <stdlib.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/report_parts.h"
#include "tool/model/names/site_rows.h"
#include "tool/tables/memory.h"

/* A view of what is gone has no rows of what is not. */
static bool is_in_view(const struct report *report,
                       const struct profile_amounts *amounts)
{
    if (report->view == REPORT_OLDER)
        return amounts->inherited_blocks != 0 && amounts->live_blocks > 0;
    if (report->view == REPORT_SINCE)
        return amounts->alloc_blocks != 0 || amounts->free_blocks != 0;
    return report->view == REPORT_ALL || report->view == REPORT_LIFETIMES ||
           measure_of(amounts, report->measure) > 0;
}

/* Sites in order; with --row the one that is asked for. */
static void sort_sites(const struct report *report, struct report_rows *rows,
                       unsigned order)
{
    site_order_sort(order, report->profile, report->names, false, rows->sites,
                    rows->site_count);
    if (report->row == 0)
        return;
    if (report->row <= rows->site_count)
        rows->sites[0] = rows->sites[report->row - 1];
    rows->site_count = report->row <= rows->site_count;
}

/* Sites that were filtered out take their stacks along. */
static void choose_stacks(const struct report *report, struct report_rows *rows,
                          unsigned order)
{
    const struct profile *profile = report->profile;
    bool *is_wanted = memory_zeroed(profile->site_count, sizeof *is_wanted);

    sort_sites(report, rows, order);
    rows->stacks =
        memory_zeroed(profile->stacks.stack_count, sizeof *rows->stacks);
    for (size_t i = 0; i < rows->site_count; i++)
        is_wanted[rows->sites[i]] = true;
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        if (is_wanted[profile->stacks.stacks[i].site] &&
            (!report_has_snapshot(report) ||
             is_in_view(report, &profile->stacks.stacks[i].amounts)))
            rows->stacks[rows->stack_count++] = i;
    }
    free(is_wanted);
    site_order_sort(order, profile, report->names, true, rows->stacks,
                    rows->stack_count);
}

void report_choose_rows(struct report *report,
                        const struct allocinfo_filter *filter, unsigned order)
{
    const struct profile *profile = report->profile;
    struct site_rows rows;

    site_rows_open(&rows, profile, report->names);
    report->heap.sites =
        memory_zeroed(profile->site_count, sizeof *report->heap.sites);
    report->maps.sites =
        memory_zeroed(profile->site_count, sizeof *report->maps.sites);
    for (size_t i = 0; i < profile->site_count; i++) {
        struct report_rows *kind = profile->sites[i].kind == LEDGER_SITE_MAP
                                       ? &report->maps
                                       : &report->heap;

        if (!profile->sites[i].is_left_out &&
            allocinfo_filter_matches_numbers(filter, &rows.rows[i]) &&
            ((kind == &report->maps && !report_has_snapshot(report) &&
              !(report->view == REPORT_PEAK && profile->has_map_peaks)) ||
             is_in_view(report, &profile->sites[i].amounts)))
            kind->sites[kind->site_count++] = i;
    }
    site_rows_close(&rows);
    if (report->row != 0 && report->heap.site_count != 0)
        report->maps.site_count = 0;
    choose_stacks(report, &report->heap, order);
    choose_stacks(report, &report->maps, order);
}

static void free_rows(struct report_rows *rows)
{
    free(rows->sites);
    free(rows->stacks);
}

void report_free_rows(struct report *report)
{
    free_rows(&report->heap);
    free_rows(&report->maps);
}
