/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - see site_choice.h */
#include "tool/model/names/site_choice.h"

/* Leave out sites by their own names, without their callers. */
static void choose_by_name(const struct blame *blame, struct profile *profile,
                           const struct site_names *names)
{
    for (size_t i = 0; i < profile->caller_count; i++) {
        struct profile_site *site = &profile->callers[i];
        struct site_name name = names->sites[i];
        OWNED char *label = site_label(site, &name);

        name.function = label;
        site->is_left_out =
            site->is_left_out ||
            !blame_wants(blame, &name,
                         site_module(profile, site, &name) == NULL);
    }
}

void sites_choose(const struct site_choice *choice, struct profile *profile,
                  struct site_names *names, struct frame_names *frames,
                  const struct text_pool *wrappers)
{
    const struct blame blame = { &choice->fold, &choice->filter, &choice->focus,
                                 wrappers };

    if (wrappers != NULL && !choice->fold.is_leaf)
        blame_find(&blame, profile, names, frames);
    if (frames == NULL || choice->fold.is_leaf)
        choose_by_name(&blame, profile, names);
    site_sum(profile, names, &choice->sum);
    if (frames != NULL)
        frame_names_rename_sites(frames);
}

struct site_names *sites_name(const struct site_choice *choice,
                              enum demangle_arguments arguments,
                              struct profile *profile,
                              struct frame_names **frames,
                              struct text_pool *wrappers)
{
    struct site_names *names =
        site_names_create(profile, &choice->search, arguments);

    if (frames != NULL)
        *frames = blame_name(&choice->fold, profile, names, wrappers);
    sites_choose(choice, profile, names, frames == NULL ? NULL : *frames,
                 wrappers);
    return names;
}

/* A ledger does not know the sites of events that it lost. */
bool site_is_inaccurate(const struct profile *profile,
                        const struct profile_site *site)
{
    return site->is_inaccurate || site->is_torn ||
           profile->counts[LEDGER_COUNT_lost_allocations] != 0 ||
           profile->counts[LEDGER_COUNT_lost_frees] != 0;
}

bool site_numbers_match(const struct allocinfo_filter *filter,
                        const struct profile *profile,
                        const struct profile_site *site)
{
    return allocinfo_filter_matches_numbers(
        filter, &(struct allocinfo_row){
                    .bytes = site->amounts.live_bytes,
                    .is_inaccurate = site_is_inaccurate(profile, site) });
}
