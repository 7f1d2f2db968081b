/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff.c - tally diff, of two traces
 */
#include "tool/commands/diff/trace_diff.h"

#include <stdio.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/trace/open_trace_sum.h"
#include "tool/commands/trace/trace_losses.h"

static bool is_exceeded(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;

    return diff->has_bound &&
           (region_growth_percent(comparison->before.used,
                                  comparison->growth.used) > diff->bound ||
            region_growth_percent(comparison->before.peak,
                                  comparison->growth.peak) > diff->bound);
}

static int compare(struct trace_diff *diff, const struct trace_sum sums[2])
{
    struct region_comparison comparison;
    int error =
        region_comparison_open(&comparison, &sums[0].regions, &sums[1].regions);

    if (error == 0) {
        diff->comparison = &comparison;
        diff->is_exceeded = is_exceeded(diff);
        error = diff->has_json ? trace_diff_write_json(diff)
                               : trace_diff_write_text(diff);
    }
    region_comparison_close(&comparison);
    if (error < 0)
        return complain_of_memory("diff");
    return diff->is_exceeded ? COMMAND_NO : COMMAND_DONE;
}

int trace_diff(struct trace_diff *diff, const struct trace_sum sums[2])
{
    if (diff->foreign_option != NULL)
        return trace_refuse_option(diff->foreign_option);
    for (unsigned i = 0; i < 2; i++) {
        const struct trace_counts *counts = &sums[i].counts;

        trace_tell_losses(diff->names[i], counts);
        diff->counts[i] = sums[i].regions.count;
        diff->is_lossy = diff->is_lossy || counts->skipped.bytes != 0 ||
                         counts->lost_packets != 0 ||
                         counts->cut_packets != 0 || counts->discarded != 0 ||
                         sums[i].regions.left_out != 0;
    }
    return compare(diff, sums);
}
