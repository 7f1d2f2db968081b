/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_side.c - one of the two sources that are compared
 */
#include "tool/commands/diff/diff_side.h"

#include <stdlib.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/filter_options.h"
#include "tool/commands/options/open_profile.h"
#include "tool/commands/options/sampling_note.h"
#include "tool/commands/trace/open_trace_sum.h"
#include "tool/model/names/trust.h"

static void add_wanted(struct diff_side *side, const struct allocinfo_row *row,
                       size_t site)
{
    side->wanted_sites[side->wanted_count] = site;
    side->wanted[side->wanted_count++] = *row;
}

/* The marks are a kernel's alone: a ledger that lost something is lossy. */
static void choose_rows(struct diff_side *side,
                        const struct allocinfo_filter *filter)
{
    for (size_t i = 0; i < side->site_rows.count; i++) {
        const struct profile_site *site = &side->profile->sites[i];
        struct allocinfo_row row = side->site_rows.rows[i];

        row.is_inaccurate = site->is_inaccurate;
        if (site->kind == LEDGER_SITE_HEAP && !site->is_left_out &&
            allocinfo_filter_matches_numbers(filter, &row)) {
            add_wanted(side, &row, i);
            side->slab_bytes += site->slab_bytes;
        }
    }
}

int diff_input_load(struct diff_input *input, const struct elf_option *elf)
{
    struct source_failure failure;
    int status = COMMAND_DONE;

    input->profile = profile_create();
    if (input->profile == NULL)
        return complain_of_memory("diff");
    if (input->is_trace) {
        status = open_calls(&input->sum, input->name, elf, input->profile);
    } else {
        if (source_load(&input->source, input->profile, &failure) < 0)
            status = complain_about_source(input->name, &failure);
        source_close(&input->source);
    }
    if (status == COMMAND_DONE && input->has_all)
        status = open_others(input->name, input->profile);
    if (status == COMMAND_DONE && profile_finish(input->profile) < 0)
        status = complain_of_memory("diff");
    return status;
}

int diff_side_open(struct diff_side *side, struct diff_input *input,
                   const struct allocinfo_filter *filter,
                   const struct site_sum *sum,
                   const struct symbols_search *search)
{
    *side = (struct diff_side){ .profile = input->profile };
    input->profile = NULL;
    sampling_note(input->name, side->profile);
    side->names = filter_options_name(
        filter, sum, search, DEMANGLE_WITHOUT_ARGUMENTS, side->profile);
    side->wanted = calloc(side->profile->site_count + 1, sizeof *side->wanted);
    side->wanted_sites =
        calloc(side->profile->site_count + 1, sizeof *side->wanted_sites);
    if (side->names != NULL && side->profile->has_stacks)
        side->frames = frame_names_create(side->profile, side->names);
    if (side->names == NULL || side->wanted == NULL ||
        side->wanted_sites == NULL ||
        (side->profile->has_stacks &&
         (side->frames == NULL || frame_names_find_all(side->frames) < 0)) ||
        site_rows_open(&side->site_rows, side->profile, side->names) < 0)
        return complain_of_memory("diff");
    choose_rows(side, filter);
    return COMMAND_DONE;
}

void diff_side_close(struct diff_side *side)
{
    site_rows_close(&side->site_rows);
    frame_names_destroy(side->frames);
    site_names_destroy(side->names);
    profile_destroy(side->profile);
    free(side->wanted);
    free(side->wanted_sites);
}

bool diff_side_is_lossy(const struct diff_side *side)
{
    return trust_is_lossy(side->profile);
}
