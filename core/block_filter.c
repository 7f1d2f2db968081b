/* SPDX-License-Identifier: Apache-2.0 */
/* block_filter.c - counting what is kept in mind; see block_filter.h */
#include "core/block_filter.h"

#include <string.h>

#if __STDC_HOSTED__
uint8_t block_filter[1 << BLOCK_FILTER_LOG2];

/* One that is full says nothing about how often it was added to. */
static void change(uint64_t address, int by)
{
    uint8_t *counter =
        &block_filter[block_hash(address) >> (32 - BLOCK_FILTER_LOG2)];
    uint8_t seen = __atomic_load_n(counter, __ATOMIC_RELAXED);

    while (seen != UINT8_MAX && !__atomic_compare_exchange_n(
                                    counter, &seen, (uint8_t)(seen + by), false,
                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void block_filter_add(uint64_t address)
{
    change(address, 1);
}

void block_filter_drop(uint64_t address)
{
    change(address, -1);
}

void block_filter_clear(void)
{
    memset(block_filter, 0, sizeof block_filter);
}
#else
typedef int block_filter_is_for_hosts;
#endif
