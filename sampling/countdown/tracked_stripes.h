/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracked_stripes.h - what the table of tracked_blocks.h is made of
 *
 * Entries stay with their stripe for ever, so its lock guards their fields,
 * too, wherever they are. Callers of the functions below hold it.
 */
#ifndef TALLY_CORE_TRACKED_STRIPES_H
#define TALLY_CORE_TRACKED_STRIPES_H

#include <stddef.h>
#include <stdint.h>

#include "sampling/countdown/block_filter.h"
#include "sampling/countdown/tracked_blocks.h"

enum {
    TRACKED_STRIPES_LOG2 = 4,
    TRACKED_STRIPES = 1 << TRACKED_STRIPES_LOG2,
};

struct tracked_stripe {
    uint32_t lock;
    uint32_t heads_mask; /* a power of two less 1 */
    uint64_t count;
    struct tracked **heads;
    struct tracked *unused;
    char padding[32]; /* a cache line for each */
};

extern __attribute__((visibility(
    "hidden"))) struct tracked_stripe tracked_stripes[TRACKED_STRIPES];

static inline struct tracked_stripe *tracked_stripe_of(uint64_t key)
{
    return &tracked_stripes[block_hash(key) & (TRACKED_STRIPES - 1)];
}

static inline struct tracked **
tracked_head_of(const struct tracked_stripe *stripe, uint64_t key)
{
    return &stripe->heads[block_hash(key) >> TRACKED_STRIPES_LOG2 &
                          stripe->heads_mask];
}

/* Where the entry hangs, or the end of its chain. */
static inline struct tracked **tracked_find(const struct tracked_stripe *stripe,
                                            uint64_t key)
{
    struct tracked **place = tracked_head_of(stripe, key);

    while (*place != NULL && (*place)->key != key)
        place = &(*place)->next;
    return place;
}

/* Others may ask without the lock what has happened to what they have lifted. */
static inline void tracked_set_loss(struct tracked *entry,
                                    enum tracked_loss loss)
{
    __atomic_store_n(&entry->is_dead, (uint8_t)loss, __ATOMIC_RELAXED);
}

/* Take out what hangs there. NULL: it is claimed, and has this loss. */
struct tracked *tracked_take_out(struct tracked_stripe *stripe,
                                 struct tracked **place,
                                 enum tracked_loss loss);

#endif /* TALLY_CORE_TRACKED_STRIPES_H */
