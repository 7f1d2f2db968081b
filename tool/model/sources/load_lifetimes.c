/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_lifetimes.c - what the samples of a ledger tell, added to a profile
 */
#include "tool/model/sources/load_lifetimes.h"

/* Of several images the one whose samples are furthest apart speaks for all. */
void load_sampling(const struct ledger_reader *reader, struct profile *profile)
{
    uint64_t interval = ledger_reader_sample_interval(reader);

    if (interval > profile->sample_interval)
        profile->sample_interval = interval;
}

static struct amounts_variance
measure_variances(const struct ledger_site_view *view, uint64_t interval,
                  const struct lifetimes *lifetimes)
{
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    struct lifetime_sum live = lifetimes_live(lifetimes);
    struct amounts_variance variance = {
        .total_blocks = all->blocks_variance,
        .total_bytes = all->bytes_variance,
        .live_blocks = live.blocks_variance,
        .live_bytes = live.bytes_variance,
        .temporary = lifetimes->sums[LEDGER_LIFE_FREED].blocks_variance,
    };

    /* What a child inherited was sampled by its parent: at most this. */
    variance.live_bytes += (double)view->inherited_bytes * (double)interval;
    if (view->inherited_bytes > 0)
        variance.live_blocks +=
            (double)view->inherited_blocks * (double)view->inherited_blocks /
            (double)view->inherited_bytes * (double)interval;
    return variance;
}

int load_lifetimes(struct ledger_reader *reader,
                   const struct ledger_site_view *view,
                   struct lifetimes *lifetimes, struct profile_site *site)
{
    uint64_t interval = ledger_reader_sample_interval(reader);
    struct ledger_lifetimes stored;
    int found;

    if (interval == 0 || view->kind != LEDGER_SITE_HEAP ||
        view->place.length != 0)
        return 0;
    found = ledger_reader_lifetimes(reader, view->id, &stored);
    if (found < 0)
        return found;
    /* What the program itself accounts for is exact. */
    site->is_estimate =
        interval > 1 && (found > 0 || view->inherited_blocks != 0);
    *lifetimes = lifetimes_of(&stored);
    if (found > 0)
        site->lifetimes = lifetimes;
    if (interval > 1)
        site->amounts.variance = measure_variances(view, interval, lifetimes);
    site->amounts.temporary_blocks = lifetimes->sums[LEDGER_LIFE_FREED].blocks;
    return 0;
}
