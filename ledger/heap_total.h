/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_total.h - the most that the heap ever held
 *
 * Nobody could add to one total on every call without waiting for others. So
 * each shard keeps what it has gained since it was last added to the whole, and
 * is added when that is much:
 *
 *     header   live_bytes   peak_bytes        whole
 *     totals   highest      room              one for each shard
 *
 * An allocation takes its bytes from `room` and goes on, unless none is left. The
 * heap is never higher than when it begins to fall, so it is a free that finds out
 * whether there is less room than at the highest: that was higher, then.
 *
 * With one thread the peak is exact: what is live is live_bytes + highest +
 * LEDGER_TOTAL_BATCH - room at every instant. Otherwise it may be too low by what
 * the others had not added yet, LEDGER_TOTAL_BATCH each. Readers look at the
 * totals as well.
 */
#ifndef TALLY_LEDGER_HEAP_TOTAL_H
#define TALLY_LEDGER_HEAP_TOTAL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger_layout.h"
#include "ledger/export.h"
#include "ledger/shard_add.h"

static inline void heap_total_raise(int64_t *highest, int64_t value)
{
    int64_t held = __atomic_load_n(highest, __ATOMIC_RELAXED);

    while (held < value &&
           !__atomic_compare_exchange_n(highest, &held, value, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* In rise_at: every call is due, and `room` stays as far below nothing as it is. */
#define HEAP_TOTAL_UNDER INT64_MIN

/* What there is less than at the highest; less than nothing: so much more. */
static inline int64_t heap_total_below(int64_t room)
{
    return room - LEDGER_TOTAL_BATCH;
}

/*
 * Add what has gathered to the whole. What is a little below the highest stays
 * there: were it added, the next block would be the highest again.
 */
static inline void heap_total_settle(struct ledger_header *header,
                                     struct ledger_total *total)
{
    int64_t room = __atomic_load_n(&total->room, __ATOMIC_RELAXED);
    int64_t below = 0;
    int64_t highest, before;

    if (room < LEDGER_TOTAL_BATCH || room >= 2 * LEDGER_TOTAL_BATCH)
        below = heap_total_below(__atomic_exchange_n(
            &total->room, LEDGER_TOTAL_BATCH, __ATOMIC_RELAXED));
    highest = __atomic_exchange_n(&total->highest, 0, __ATOMIC_RELAXED);
    before = __atomic_fetch_add(&header->live_bytes, highest - below,
                                __ATOMIC_RELAXED);
    heap_total_raise(&header->peak_bytes,
                     before + highest - (below < 0 ? below : 0));
}

/* It was higher than ever. True: it has become so much that it should be added. */
static inline __attribute__((always_inline)) bool
heap_total_rise(struct ledger_total *total, int64_t room)
{
    int64_t rise_at = __atomic_load_n(&total->rise_at, __ATOMIC_RELAXED);

    if (rise_at == HEAP_TOTAL_UNDER)
        return true;
    while (room < LEDGER_TOTAL_BATCH &&
           !shard_replace_word(&total->room, &room, LEDGER_TOTAL_BATCH))
        ;
    if (room < LEDGER_TOTAL_BATCH)
        shard_add_word(&total->highest, 0 - (uint64_t)heap_total_below(room));
    return __atomic_load_n(&total->highest, __ATOMIC_RELAXED) >= rise_at;
}

/*
 * By the thread whose shard it is; what a signal handler adds is not lost. True:
 * it has become so much that the thread should settle.
 */
static inline __attribute__((always_inline)) bool
heap_total_add(struct ledger_total *total, enum shard_side side, uint64_t size)
{
    int64_t room;
    bool is_due = false;

    if (side == SHARD_ALLOC)
        return shard_subtract_word(&total->room, size);
    room = __atomic_load_n(&total->room, __ATOMIC_RELAXED);
    if (UNLIKELY(room < LEDGER_TOTAL_BATCH)) {
        is_due = heap_total_rise(total, room);
        room = LEDGER_TOTAL_BATCH;
    }
    shard_add_word(&total->room, size);
    return is_due || room + (int64_t)size >=
                         __atomic_load_n(&total->fall_at, __ATOMIC_RELAXED);
}

/*
 * By anybody, to the total that is everybody's; its `highest` is 0. True: so much
 * was freed that it should be settled.
 */
static inline bool heap_total_add_shared(struct ledger_header *header,
                                         enum shard_side side, uint64_t size)
{
    struct ledger_total *total = &header->totals[0];
    int64_t fewer = (int64_t)(side == SHARD_FREE ? size : 0 - size);
    int64_t below = heap_total_below(
        __atomic_add_fetch(&total->room, fewer, __ATOMIC_RELAXED));

    __atomic_store_n(&total->is_used, 1, __ATOMIC_RELAXED);
    heap_total_raise(&header->peak_bytes,
                     __atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED) -
                         below);
    if (side == SHARD_FREE)
        return below + LEDGER_TOTAL_BATCH >=
               __atomic_load_n(&total->fall_at, __ATOMIC_RELAXED);
    if (below <= -LEDGER_TOTAL_BATCH)
        heap_total_settle(header, total);
    return false;
}

/* The peak so far, by anybody. */
static inline uint64_t heap_total_peak(struct ledger_header *header)
{
    int64_t peak = __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED);
    int64_t live = __atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        const struct ledger_total *total = &header->totals[i];
        int64_t highest = __atomic_load_n(&total->highest, __ATOMIC_RELAXED);
        int64_t below =
            heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED));

        heap_total_raise(&peak, live + highest - (below < 0 ? below : 0));
    }
    return peak > 0 ? (uint64_t)peak : 0;
}

#endif /* TALLY_LEDGER_HEAP_TOTAL_H */
