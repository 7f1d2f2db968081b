/* SPDX-License-Identifier: Apache-2.0 */
/* block_filter.c - counting what is kept in mind; see block_filter.h */
#include "core/block_filter.h"

#if __STDC_HOSTED__
uint8_t block_filter[1 << BLOCK_FILTER_LOG2];

static bool is_used; /* by a block that can be dropped again */

/* One that is full says nothing about how often it was added to. */
static void change(uint64_t address, int by)
{
    uint8_t *counter = &block_filter[block_filter_at(address)];
    uint8_t seen = __atomic_load_n(counter, __ATOMIC_RELAXED);

    while (seen != UINT8_MAX && !__atomic_compare_exchange_n(
                                    counter, &seen, (uint8_t)(seen + by), false,
                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void block_filter_add(uint64_t address)
{
    if (!__atomic_load_n(&is_used, __ATOMIC_RELAXED))
        __atomic_store_n(&is_used, true, __ATOMIC_RELAXED);
    change(address, 1);
}

void block_filter_drop(uint64_t address)
{
    change(address, -1);
}

void block_filter_keep(uint64_t address)
{
    __atomic_store_n(&block_filter[block_filter_at(address)], UINT8_MAX,
                     __ATOMIC_RELEASE);
}

void block_filter_clear(void)
{
    for (uint32_t i = 0; is_used && i < sizeof block_filter; i++) {
        if (block_filter[i] != UINT8_MAX)
            block_filter[i] = 0;
    }
    is_used = false;
}
#else
typedef int block_filter_is_for_hosts;
#endif
