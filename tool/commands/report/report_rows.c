/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_rows.c - which sites and stacks a report shows, and in which order
 */
#include "tool/commands/report/report_parts.h"

/* Hide rows whose measure is 0 in this view. */
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

/* Order sites; with --row keep the one that is asked for. Sites that were
   filtered out take their stacks along. */
static void choose_stacks(const struct report *report, struct report_rows *rows,
                          unsigned order)
{
    const struct profile *profile = report->profile;
    OWNED bool *is_wanted = NULL;

    site_order_sort(order, profile, report->names, false, rows->sites,
                    rows->site_count);
    if (report->row != 0 && report->row <= rows->site_count)
        rows->sites[0] = rows->sites[report->row - 1];
    if (report->row != 0)
        rows->site_count = report->row <= rows->site_count;
    if (report->is_screen)
        return;
    rows->stacks = arena_zeroed(profile->arena, profile->stacks.stack_count,
                                sizeof *rows->stacks);
    is_wanted = memory_zeroed(profile->caller_count, sizeof *is_wanted);
    for (size_t i = 0; i < rows->site_count; i++)
        is_wanted[rows->sites[i]] = true;
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        if (is_wanted[profile->stacks.stacks[i].site] &&
            (!report_has_snapshot(report) ||
             is_in_view(report, &profile->stacks.stacks[i].amounts)))
            rows->stacks[rows->stack_count++] = i;
    }
    site_order_sort(order, profile, report->names, true, rows->stacks,
                    rows->stack_count);
}

/* Return true if an earlier kind has rows. */
static bool has_rows(const struct report *report, size_t kind)
{
    while (kind-- > 0) {
        if (report->rows[kind].site_count != 0)
            return true;
    }
    return false;
}

void report_choose_rows(struct report *report,
                        const struct allocinfo_filter *filter, unsigned order)
{
    const struct profile *profile = report->profile;

    for (size_t i = 0; i < LEDGER_SITE_KINDS; i++)
        report->rows[i].sites =
            arena_zeroed(profile->arena, profile->caller_count,
                         sizeof *report->rows[i].sites);
    for (size_t i = 0; i < profile->caller_count; i++) {
        uint32_t kind = profile->callers[i].kind;
        struct report_rows *of_kind = &report->rows[kind];

        if (!profile->callers[i].is_left_out &&
            site_numbers_match(filter, profile, &profile->callers[i]) &&
            ((kind != LEDGER_SITE_HEAP && !report_has_snapshot(report) &&
              !(report->view == REPORT_PEAK && profile->has_map_peaks) &&
              report->view != REPORT_RESIDENT) ||
             is_in_view(report, &profile->callers[i].amounts)))
            of_kind->sites[of_kind->site_count++] = i;
    }
    for (size_t i = 0; i < LEDGER_SITE_KINDS; i++) {
        if (report->row != 0 && has_rows(report, i))
            report->rows[i].site_count = 0;
        choose_stacks(report, &report->rows[i], order);
    }
}
