/* SPDX-License-Identifier: Apache-2.0 */
/* limits_share.c - budgets of several scopes; see limits_share.h */
#include "sampling/limits/limits_share.h"

#include "core/base/own_memory.h"
#include "sampling/countdown/countdown.h"

enum { PARTS = 256, PART_MAX = 65536 };

/* Mark of a scope that others may join, beside the address of its budget. */
#define MARK UINT64_C(0x5368617265642062)

/* With the countdown's lock held. */
static void *spare_shares;

static struct limit_share *make(struct limit_scope *scope, uint64_t bytes)
{
    static struct own_memory own = OWN_MEMORY_OF("limits_share");
    struct limit_share *share;

    countdown_lock();
    share = own_memory_piece(&own, &spare_shares, sizeof *share);
    countdown_unlock();
    if (share == NULL)
        return NULL;
    /* The byte that reaches a limit cannot be used. */
    bytes -= bytes != 0;
    *share =
        (struct limit_share){ .budget = bytes, .left = bytes, .scopes = 1 };
    scope->private[0] = (uintptr_t)share;
    scope->private[1] = MARK ^ (uintptr_t)share;
    return share;
}

struct limit_share *limits_share_open(struct limit_scope *scope,
                                      const struct limit_scope *from,
                                      uint64_t bytes)
{
    const uint64_t *words;
    struct limit_share *share;
    uint32_t scopes;

    if (from == NULL)
        return make(scope, bytes);
    words = from->private;
    share = (struct limit_share *)(uintptr_t)words[0];
    if (words[1] != (MARK ^ words[0]) || share == NULL)
        return NULL;
    scopes = __atomic_load_n(&share->scopes, __ATOMIC_ACQUIRE);
    do {
        if (scopes == 0)
            return NULL;
    } while (!__atomic_compare_exchange_n(&share->scopes, &scopes, scopes + 1,
                                          false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return share;
}

void limits_share_close(struct limit_share *share, uint64_t drawn,
                        uint64_t used)
{
    __atomic_fetch_add(&share->left, drawn, __ATOMIC_RELAXED);
    __atomic_fetch_add(&share->used, used, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(&share->scopes, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    countdown_lock();
    share->next = spare_shares;
    spare_shares = share;
    countdown_unlock();
}

uint64_t limits_share_part(const struct limit_share *share)
{
    uint64_t part = share->budget / PARTS;

    return part < PART_MAX ? part : PART_MAX;
}

uint64_t limits_share_draw(struct limit_share *share, uint64_t bytes)
{
    uint64_t part = limits_share_part(share);
    uint64_t left = __atomic_load_n(&share->left, __ATOMIC_RELAXED), drawn;

    part = part > bytes ? part : bytes;
    do {
        drawn = part < left ? part : left;
        if (drawn < bytes || limits_share_is_hit(share)) {
            __atomic_store_n(&share->is_hit, 1, __ATOMIC_RELEASE);
            return 0;
        }
    } while (!__atomic_compare_exchange_n(&share->left, &left, left - drawn,
                                          false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return drawn;
}
