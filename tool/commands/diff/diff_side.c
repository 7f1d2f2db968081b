/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_side.c - one of the two sources that are compared
 */
#include "tool/commands/diff/diff_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/complaint.h"
#include "tool/tables/memory.h"

static void set_amounts(struct allocinfo_row *row,
                        const struct profile_amounts *amounts,
                        const struct compared_value *value)
{
    row->bytes = compared_of(amounts, value->bytes);
    row->calls = (uint64_t)compared_of(amounts, value->blocks);
    row->bytes_variance = measure_variance(amounts, value->bytes);
    row->calls_variance = measure_variance(amounts, value->blocks);
}

/* The marks are a kernel's alone: a ledger that lost something is lossy. */
static void choose_rows(struct diff_side *side,
                        const struct compared_value *value,
                        const struct allocinfo_filter *filter)
{
    for (size_t i = 0; i < side->site_rows.count; i++) {
        const struct profile_site *site = &side->profile->sites[i];
        struct allocinfo_row row = side->site_rows.rows[i];

        set_amounts(&row, &site->amounts, value);
        row.is_inaccurate = site->is_inaccurate;
        if (!site->is_left_out &&
            allocinfo_filter_matches_numbers(filter, &row)) {
            side->wanted_sites[side->wanted_count] = i;
            side->wanted[side->wanted_count++] = row;
            side->slab_bytes += site->slab_bytes;
        }
    }
}

void diff_side_open(struct diff_side *side, const struct source_load *source,
                    const struct source_options *options,
                    struct text_pool *wrappers)
{
    struct profile *profile = source->profile;

    note_sampling(source->name, profile);
    *side = (struct diff_side){ .profile = profile };
    side->names = site_names_create(profile, &options->search,
                                    DEMANGLE_WITHOUT_ARGUMENTS);
    side->frames = blame_name(&options->fold, profile, side->names, wrappers);
}

void diff_side_choose(struct diff_side *side,
                      const struct compared_value *value,
                      const struct source_options *options,
                      const struct text_pool *wrappers)
{
    struct profile *profile = side->profile;

    filter_options_choose(options, profile, side->names, side->frames,
                          wrappers);
    side->wanted = memory_zeroed(profile->site_count, sizeof *side->wanted);
    side->wanted_sites =
        memory_zeroed(profile->site_count, sizeof *side->wanted_sites);
    site_rows_open(&side->site_rows, profile, side->names);
    choose_rows(side, value, &options->filter);
}

void diff_side_close(struct diff_side *side)
{
    site_rows_close(&side->site_rows);
    free(side->wanted);
    free(side->wanted_sites);
}

/* A call that only moved to another line is at the line where it is now. */
static void move_lines(const struct stack_comparison *stacks,
                       struct diff_side sides[2], uint32_t *numbers[2],
                       size_t *rows)
{
    for (size_t i = 0; i < stacks->matching.id_count; i++)
        rows[i] = SIZE_MAX;
    for (size_t i = sides[1].wanted_count; i-- > 0;) {
        uint32_t number = numbers[1][sides[1].wanted_sites[i]];

        if (number != UINT32_MAX)
            rows[number] = i;
    }
    for (size_t i = 0; i < sides[0].wanted_count; i++) {
        uint32_t number = numbers[0][sides[0].wanted_sites[i]];
        const struct allocinfo_row *now;

        if (number == UINT32_MAX || rows[number] == SIZE_MAX)
            continue;
        now = &sides[1].wanted[rows[number]];
        sides[0].wanted[i].file = now->file;
        sides[0].wanted[i].line = now->line;
        sides[0].wanted[i].function = now->function;
        sides[0].wanted[i].module = now->module;
    }
}

/* Sites of both sides that are calls from different numbers of places are one
   row there, too. */
static void join_lines(const struct stack_comparison *stacks,
                       struct diff_side *after, const uint32_t *numbers,
                       size_t *rows)
{
    for (size_t i = 0; i < stacks->matching.id_count; i++)
        rows[i] = SIZE_MAX;
    for (size_t i = 0; i < after->wanted_count; i++) {
        uint32_t number = numbers[after->wanted_sites[i]];

        if (number == UINT32_MAX)
            continue;
        if (rows[number] == SIZE_MAX) {
            rows[number] = i;
            continue;
        }
        after->wanted[i].file = after->wanted[rows[number]].file;
        after->wanted[i].line = after->wanted[rows[number]].line;
    }
}

void diff_match_lines(struct stack_comparison *stacks,
                      struct diff_side sides[2])
{
    size_t *rows = memory_zeroed(stacks->matching.id_count, sizeof *rows);
    uint32_t *numbers[2];

    for (unsigned i = 0; i < 2; i++) {
        numbers[i] =
            memory_zeroed(sides[i].profile->site_count, sizeof *numbers[i]);
        stack_comparison_number_sites(stacks, i, numbers[i]);
    }
    join_lines(stacks, &sides[1], numbers[1], rows);
    move_lines(stacks, sides, numbers, rows);
    free(rows);
    free(numbers[0]);
    free(numbers[1]);
}

/*
 * Of samples the peak is an estimate, which may differ by chance. Rows are of
 * the time when heap and maps together held most; the heap alone, of which a
 * report tells first, may have done so at another time.
 */
void diff_find_sums(struct diff *diff, const struct diff_side sides[2],
                    const struct source_options *options)
{
    struct diff heap = *diff;

    for (unsigned i = 0; i < 2; i++) {
        const struct profile *profile = sides[i].profile;

        diff->has_peaks &= profile->has_peaks && profile->sample_interval <= 1;
        for (size_t j = 0; j < sides[i].wanted_count; j++)
            amounts_add(&diff->sums[i],
                        &profile->sites[sides[i].wanted_sites[j]].amounts);
        diff->peaks[i] = compared_of(&diff->sums[i], MEASURE_PEAK_BYTES);
        heap.peaks[i] = (int64_t)profile->peak_bytes;
    }
    heap.has_peaks = diff->has_peaks && options->kinds == 0 &&
                     options->filter.mask == 0 && options->focus.count == 0;
    if (diff_peak_percent(&heap) <= diff_peak_percent(diff))
        return;
    diff->has_heap_peaks = true;
    memcpy(diff->peaks, heap.peaks, sizeof diff->peaks);
}
