/* SPDX-License-Identifier: Apache-2.0 */
/* lifetimes_writer.c - sums over samples; see lifetimes_writer.h */
#include "ledger/record/lifetimes_writer.h"

#include <stddef.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/ledger_writer.h"

/* A forked child has the same segments, empty. */
static uint64_t offsets[LEDGER_DIRECTORY_CAPACITY];

/* Sampled sites are few: search the segments rather than keep an index. */
uint32_t lifetimes_site(uint32_t reference)
{
    uint32_t slot = reference % LEDGER_SITES_PER_SEGMENT;

    for (uint32_t segment = 0; segment < LEDGER_DIRECTORY_CAPACITY; segment++) {
        uint32_t id = segment * LEDGER_SITES_PER_SEGMENT + slot;
        uint32_t found = ledger_place_of(id);

        if (found == reference)
            return id;
        if (found == 0)
            break;
    }
    return 0;
}

static struct ledger_lifetimes *lifetimes_at(uint32_t site)
{
    uint32_t segment = site / LEDGER_SITES_PER_SEGMENT;
    struct ledger_lifetimes *lifetimes;
    uint64_t offset;

    if (site == 0 || segment >= LEDGER_DIRECTORY_CAPACITY)
        return NULL;
    offset = ledger_space_segment(LEDGER_SEGMENT_LIFETIMES, segment,
                                  LEDGER_SITES_PER_SEGMENT * sizeof *lifetimes,
                                  &offsets[segment]);
    lifetimes = offset == 0 ? NULL : (void *)ledger_space_at(offset);
    return lifetimes == NULL ? NULL
                             : lifetimes + site % LEDGER_SITES_PER_SEGMENT;
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
    struct ledger_lifetimes *lifetimes = lifetimes_at(site);
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
