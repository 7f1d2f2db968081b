/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_side.c - one of the two sources that are compared
 */
#include "tool/commands/diff/diff_parts.h"

void diff_side_open(struct comparison_side *side,
                    const struct source_load *source,
                    const struct source_options *options,
                    struct text_pool *wrappers)
{
    struct profile *profile = source->profile;

    note_sampling(source->name, profile);
    side->of.profile = profile;
    side->of.names = site_names_create(profile, &options->choice.search,
                                       DEMANGLE_WITHOUT_ARGUMENTS);
    side->of.frames =
        blame_name(&options->choice.fold, profile, side->of.names, wrappers);
}

/* Use only a kernel's marks: lost events make a recording lossy instead. */
void diff_side_choose(struct comparison_side *side, struct diff *diff,
                      const struct source_options *options, unsigned number)
{
    struct profile *profile = side->of.profile;

    sites_choose(&options->choice, profile, side->of.names, side->of.frames,
                 &diff->wrappers);
    side->sites = arena_zeroed(profile->arena, profile->caller_count,
                               sizeof *side->sites);
    for (size_t i = 0; i < profile->caller_count; i++) {
        const struct profile_site *site = &profile->callers[i];
        const struct allocinfo_row row = {
            .bytes = compared_of(&site->amounts, diff->value->bytes),
            .is_inaccurate = site->is_inaccurate,
        };

        if (site->is_left_out ||
            !allocinfo_filter_matches_numbers(&options->choice.filter, &row))
            continue;
        side->sites[side->count++] = i;
        diff->slab_bytes[number] += site->slab_bytes;
    }
}

/*
 * Rows add up to the peaks of heap and maps. A report names the heap's first:
 * take the one that grew more. Ignore estimated peaks, which may differ by
 * chance.
 */
void diff_find_sums(struct diff *diff, const struct comparison_side sides[2],
                    const struct source_options *options)
{
    struct diff heap = *diff;

    for (unsigned i = 0; i < 2; i++) {
        const struct profile *profile = sides[i].of.profile;

        diff->has_peaks &= profile->has_peaks && profile->sample_interval <= 1;
        for (size_t j = 0; j < sides[i].count; j++)
            amounts_add(&diff->sums[i],
                        &profile->callers[sides[i].sites[j]].amounts);
        diff->peaks[i] = compared_of(&diff->sums[i], MEASURE_PEAK_BYTES);
        heap.peaks[i] = (int64_t)profile->peak_bytes;
    }
    heap.has_peaks = diff->has_peaks && options->kinds == 0 &&
                     options->choice.filter.mask == 0 &&
                     options->choice.focus.count == 0;
    if (diff_peak_percent(&heap) <= diff_peak_percent(diff))
        return;
    diff->has_heap_peaks = true;
    memcpy(diff->peaks, heap.peaks, sizeof diff->peaks);
}
