/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure_complaint.c - why a source does not tell what was asked for
 */
#include "tool/commands/options/measure_complaint.h"

#include "tool/commands/options/complaint.h"

static int complain_about_peak(const char *option,
                               const struct profile *profile)
{
    if (profile->sample_interval != 0)
        return complain(option, "samples do not tell who held what then",
                        "record without --stacks=sampled");
    if (profile->image_count > 1)
        return complain(option, "each image held most at a time of its own",
                        "name the ledger of one");
    return complain(
        option, "the source does not tell who held what then",
        "a ledger of one image with exact accounts does, and a trace");
}

int complain_about_measure(const char *option, const struct profile *profile,
                           enum measure measure, const char *others)
{
    if (measure == MEASURE_PEAK_BYTES || measure == MEASURE_PEAK_BLOCKS)
        return complain_about_peak(option, profile);
    if (measure == MEASURE_TEMPORARY)
        return complain(option, "the source does not tell what was temporary",
                        "a ledger does, and a trace: tally record");
    return complain(option, "the source has no totals", others);
}
