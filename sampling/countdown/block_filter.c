/* SPDX-License-Identifier: Apache-2.0 */
/* block_filter.c - counting what is kept in mind; see block_filter.h */
#include "sampling/countdown/block_filter.h"

#include <string.h>

enum { CONFIRMS_LOG2 = 16 };

uint8_t block_filter[1 << BLOCK_FILTER_LOG2];
static uint8_t confirms[1 << CONFIRMS_LOG2];

static bool is_used; /* by a block that can be dropped again */

static uint8_t *confirms_at(uint64_t address)
{
    return &confirms[block_hash(address) >> (32 - CONFIRMS_LOG2)];
}

bool block_filter_confirms(const void *block)
{
    return __atomic_load_n(confirms_at((uintptr_t)block), __ATOMIC_RELAXED) !=
           0;
}

/* A full counter has lost its count, and stays full. */
static void change(uint8_t *counter, int by)
{
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
    change(&block_filter[block_filter_at(address)], 1);
    change(confirms_at(address), 1);
}

void block_filter_drop(uint64_t address)
{
    change(&block_filter[block_filter_at(address)], -1);
    change(confirms_at(address), -1);
}

void block_filter_clear(void)
{
    if (is_used) {
        memset(block_filter, 0, sizeof block_filter);
        memset(confirms, 0, sizeof confirms);
    }
    is_used = false;
}
