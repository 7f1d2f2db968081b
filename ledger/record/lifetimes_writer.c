/* SPDX-License-Identifier: Apache-2.0 */
/* lifetimes_writer.c - sums over samples; see lifetimes_writer.h */
#include "ledger/record/lifetimes_writer.h"

#include <stddef.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "ledger/space/ledger_writer.h"

uint32_t lifetimes_site(uint32_t reference)
{
    uint32_t id = reference == 0 ? 0 : ledger_id_of(reference);

    return id / LEDGER_SITES_PER_SEGMENT < LEDGER_DIRECTORY_CAPACITY ? id : 0;
}

static void add_double(uint64_t *bits, double added)
{
    uint64_t seen = __atomic_load_n(bits, __ATOMIC_RELAXED), next;

    do {
        double sum;

        memcpy(&sum, &seen, sizeof sum);
        sum += added;
        memcpy(&next, &sum, sizeof next);
    } while (!__atomic_compare_exchange_n(bits, &seen, next, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

bool lifetimes_add(uint32_t site, unsigned which,
                   const struct sample_weight *weight)
{
    struct ledger_lifetimes *lifetimes =
        site == 0 ? NULL : ledger_lifetimes_at(site);
    struct ledger_estimate *sum;

    if (lifetimes == NULL)
        return false;
    sum = &lifetimes->sums[which];
    add_double(&sum->blocks_variance, weight->blocks_variance);
    add_double(&sum->bytes_variance, weight->bytes_variance);
    __atomic_fetch_add(&sum->bytes, weight->bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->blocks, weight->blocks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->samples, 1, __ATOMIC_RELEASE);
    return true;
}
