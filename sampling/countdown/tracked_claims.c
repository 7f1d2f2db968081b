/* SPDX-License-Identifier: Apache-2.0 */
/* tracked_claims.c - the right to run an entry's callbacks: tracked_blocks.h */
#include "core/base/word_lock.h"
#include "sampling/countdown/tracked_stripes.h"

static uint64_t key_of(const struct tracked *entry)
{
    return __atomic_load_n(&entry->key, __ATOMIC_RELAXED);
}

static bool is_minor(struct tracked_name name)
{
    const struct tracked *entry = name.entry;

    return entry->serial == name.serial && entry->is_major == 0 &&
           (entry->is_inside != 0 || entry->is_dead == TRACKED_LIFTED);
}

bool tracked_is_minor(struct tracked_name name)
{
    struct tracked_stripe *stripe = tracked_stripe_of(key_of(name.entry));
    bool is_so;

    word_lock_take(&stripe->lock);
    is_so = is_minor(name);
    word_lock_give(&stripe->lock);
    return is_so;
}

bool tracked_claim(struct tracked_name name)
{
    struct tracked *entry = name.entry;
    struct tracked_stripe *stripe = tracked_stripe_of(key_of(entry));
    bool is_claimed;

    /* Entries stay with their stripe, so that this is the right lock. */
    word_lock_take(&stripe->lock);
    is_claimed = is_minor(name) && entry->is_claimed == TRACKED_FREE;
    if (is_claimed)
        entry->is_claimed = TRACKED_CLAIMED;
    else if (is_minor(name) && entry->is_claimed == TRACKED_WAITS)
        entry->is_claimed = TRACKED_RIPE;
    word_lock_give(&stripe->lock);
    return is_claimed;
}

static enum tracked_end unclaim(struct tracked_stripe *stripe,
                                struct tracked *entry, bool is_kept,
                                bool is_major)
{
    if (entry->is_claimed == TRACKED_RIPE && is_kept && !is_major) {
        entry->is_claimed = TRACKED_CLAIMED;
        return TRACKED_IS_PROMOTED;
    }
    entry->is_claimed = TRACKED_FREE;
    entry->is_major = is_major;
    if (entry->is_dead == TRACKED_DEAD)
        return TRACKED_IS_CALLERS;
    if (is_kept)
        return TRACKED_STAYS;
    if (entry->is_dead == TRACKED_LIFTED) {
        tracked_set_loss(entry, TRACKED_OVER);
        return TRACKED_STAYS;
    }
    tracked_take_out(stripe, tracked_find(stripe, entry->key), TRACKED_DEAD);
    return TRACKED_IS_CALLERS;
}

enum tracked_end tracked_unclaim(struct tracked *entry, bool is_kept,
                                 bool is_major)
{
    struct tracked_stripe *stripe = tracked_stripe_of(entry->key);
    enum tracked_end end;

    word_lock_take(&stripe->lock);
    end = unclaim(stripe, entry, is_kept, is_major);
    word_lock_give(&stripe->lock);
    return end;
}

bool tracked_drop(struct tracked *lifted)
{
    struct tracked_stripe *stripe = tracked_stripe_of(lifted->key);
    bool is_callers;

    word_lock_take(&stripe->lock);
    is_callers = lifted->is_claimed == TRACKED_FREE;
    if (!is_callers)
        tracked_set_loss(lifted, TRACKED_DEAD);
    word_lock_give(&stripe->lock);
    return is_callers;
}
