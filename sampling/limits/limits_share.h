/* SPDX-License-Identifier: Apache-2.0 */
/* limits_share.h - budgets that scopes of several threads share */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tally/limits.h"

/*
 * Budget that scopes of several threads draw from. Each draws a part, uses it
 * up, and returns the rest. Draws never exceed the budget, so all scopes
 * together use no more. A part is at most 1/256 of the budget, so each scope is
 * stopped early by less than that. Any thread; not from signal handlers.
 */
struct limit_share {
    void *next;            /* first: in the list of unused budgets */
    uint64_t budget, left; /* bytes; budget - left was drawn */
    uint64_t used;         /* by scopes that have ended */
    uint32_t scopes;
    uint32_t is_hit;
};

/* Open a budget for `scope`, which names it for others; or the one of
   `from`. */
struct limit_share *limits_share_open(struct limit_scope *scope,
                                      const struct limit_scope *from,
                                      uint64_t bytes);

/* Return `drawn` unused bytes and count `used` ones. The last scope closes the
   budget. */
void limits_share_close(struct limit_share *share, uint64_t drawn,
                        uint64_t used);

/* Draw at least `bytes`; return 0 if not so many are left, which hits all
   scopes. */
uint64_t limits_share_draw(struct limit_share *share, uint64_t bytes);

/* Return the bytes that are drawn at once, if there are as many. */
uint64_t limits_share_part(const struct limit_share *share);

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
