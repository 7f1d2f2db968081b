/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_share.h - one budget that scopes of several threads draw from
 *
 * Each scope draws a part, uses that up by itself, and gives back what is left
 * of it. What is drawn never exceeds the budget, so all scopes together use no
 * more; a part is at most 1/256 of it, so they are stopped early by less than
 * that for each. Any thread; no signal handlers. Hosts only.
 */
#ifndef TALLY_CORE_LIMITS_SHARE_H
#define TALLY_CORE_LIMITS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tally/limits.h"

struct limit_share {
    uint64_t budget, left; /* bytes; what is not left was drawn */
    uint64_t used;         /* by scopes that have ended */
    uint32_t scopes;
    uint32_t is_hit;
    struct limit_share *next; /* of those that no scope has */
};

/* A new one for `scope`, which is its name for others; or the one that `from`
   has. */
struct limit_share *limits_share_open(struct limit_scope *scope,
                                      const struct limit_scope *from,
                                      uint64_t bytes);

/* `drawn` bytes of it were not used, `used` were. The last one closes it. */
void limits_share_close(struct limit_share *share, uint64_t drawn,
                        uint64_t used);

/* At least `bytes`, or 0: so much is not left, and all its scopes are hit. */
uint64_t limits_share_draw(struct limit_share *share, uint64_t bytes);

static inline bool limits_share_is_hit(const struct limit_share *share)
{
    return __atomic_load_n(&share->is_hit, __ATOMIC_ACQUIRE) != 0;
}

static inline uint64_t limits_share_drawn(const struct limit_share *share)
{
    return share->budget - __atomic_load_n(&share->left, __ATOMIC_RELAXED);
}

static inline uint64_t limits_share_used(const struct limit_share *share)
{
    return __atomic_load_n(&share->used, __ATOMIC_RELAXED);
}

#endif /* TALLY_CORE_LIMITS_SHARE_H */
