/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.c - adding to counters, and adding counters up
 *
 * Where the machine has no lock-free 64-bit add (Cortex-M), the port's lock
 * stands in: there it masks interrupts for a few instructions.
 */
#include "core/accounts/account.h"

#include "format/invariant.h"
#include "tally/port.h"

#if __GCC_ATOMIC_LLONG_LOCK_FREE != 2
void account_add_word(uint64_t *word, uint64_t value)
{
    uint32_t key = tally_port_lock();

    *word += value;
    tally_port_unlock(key);
}
#endif

static uint64_t read(const uint64_t *word)
{
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    uint32_t key = tally_port_lock();
    uint64_t value = *word;

    tally_port_unlock(key);
    return value;
#endif
}

struct ledger_counter account_sum(const struct account_book *book, uint32_t id,
                                  uint32_t shard_count)
{
    struct ledger_counter sum = { 0 };
    struct ledger_counter *first = account_counter(book, id);

    if (first == NULL)
        return sum;
    /* Frees first: a block counted as freed has been counted as allocated. */
    for (uint32_t shard = 0; shard < shard_count; shard++) {
        struct ledger_counter *counter = account_in_shard(first, shard);

        sum.free_blocks += read(&counter->free_blocks);
        sum.free_bytes += read(&counter->free_bytes);
    }
    for (uint32_t shard = 0; shard < shard_count; shard++) {
        struct ledger_counter *counter = account_in_shard(first, shard);

        sum.alloc_blocks += read(&counter->alloc_blocks);
        sum.alloc_bytes += read(&counter->alloc_bytes);
    }
    return sum;
}

struct ledger_counter *account_segment_enter(struct account_book *book,
                                             uint32_t index,
                                             struct ledger_counter *segment)
{
    const uint32_t first = index << ACCOUNT_SEGMENT_SHIFT;
    struct ledger_counter *held = NULL;

    if (__atomic_compare_exchange_n(&book->segments[index], &held, segment,
                                    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        held = segment;
    INVARIANT(I1, held == account_counter(book, first));
    INVARIANT(I2, held != NULL);
    return held;
}
