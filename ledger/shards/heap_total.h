/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_total.h - the peak, of the heap alone and of heap and maps together
 *
 * Threads that add to one total on every call would wait for each other. So
 * each shard keeps what it has gained since it was last added to the whole, and
 * is added when that is much:
 *
 *     header   live_bytes   peak_bytes        whole
 *     totals   highest      room              one for each shard
 *
 * An allocation takes its bytes from `room` and goes on, unless none is left.
 * The heap is highest just before it falls, so the check is left to free: less
 * room than at the highest means a new highest.
 *
 * What is live is live_bytes, and highest + LEDGER_TOTAL_BATCH - room of each
 * total, at every instant. A highest that was not added yet counts beside what
 * the others held when its thread added last: `others`. So the peak is exact as
 * long as no other thread changes anything meanwhile. That holds for one
 * thread, and for threads of which none allocates or frees while another lives
 * that began later: what each has held at most is looked at when the next one
 * begins (heap_total_share()), and each looks again at its first free then. Of
 * threads that take turns otherwise, or run at once, each may have been lower
 * or higher by LEDGER_TOTAL_BATCH, and by the block that it has in hand.
 * Readers look at the totals as well.
 *
 * Maps are so few that each is added to the whole at once, in `map_bytes`. The
 * peak is of both together, and so are `others`. Between two maps that is the
 * heap's own level and a constant: so who maps settles what has gathered before
 * (heap_total_settle()), and `heap_peak` is known wherever `peak_bytes` is. It
 * is kept from the first map on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "format/ledger/ledger_layout.h"
#include "ledger/export.h"
#include "ledger/shards/shard_add.h"

_Static_assert((int)LEDGER_TOTAL_CAPACITY == (int)SHARD_FIRST_CPU, "one each");

/* In rise_at: every call is due, and `room` stays as negative as it is. */
#define HEAP_TOTAL_UNDER INT64_MIN

/* How far the shard is below its highest; negative: above it. */
static inline int64_t heap_total_below(int64_t room)
{
    return room - LEDGER_TOTAL_BATCH;
}

/* What the shard has that is not in the whole yet. */
static inline int64_t heap_total_held(const struct ledger_total *total)
{
    return __atomic_load_n(&total->highest, __ATOMIC_RELAXED) -
           heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED));
}

struct heap_now {
    uint32_t users; /* threads that own a shard, or share one; at least 1 */
    int64_t live;   /* also what is not in the whole yet, and maps */
    int64_t maps;   /* of that */
};

static inline struct heap_now heap_total_now(const struct ledger_header *header)
{
    struct heap_now now = {
        .live = __atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED),
        .maps = __atomic_load_n(&header->map_bytes, __ATOMIC_RELAXED),
    };

    now.live += now.maps;

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        if (__atomic_load_n(&header->totals[i].is_used, __ATOMIC_RELAXED) == 0)
            continue;
        now.users++;
        now.live += heap_total_held(&header->totals[i]);
    }
    now.users += now.users == 0; /* the ledger may say anything */
    return now;
}

static inline bool heap_total_has_maps(const struct ledger_header *header)
{
    return __atomic_load_n(&header->peak_has_maps, __ATOMIC_RELAXED) != 0;
}

/* So much was `live`, maps of it. */
static inline void heap_total_raise(struct ledger_header *header, int64_t live,
                                    int64_t maps)
{
    WORD_RAISE(&header->peak_bytes, live);
    if (heap_total_has_maps(header))
        WORD_RAISE(&header->heap_peak, live - maps);
}

/* Whether neither peak is less than what is `more` than now. */
static inline bool heap_total_is_no_peak(const struct ledger_header *header,
                                         const struct heap_now *now,
                                         int64_t more)
{
    return now->live + more <=
               __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED) &&
           (!heap_total_has_maps(header) ||
            now->live - now->maps + more <=
                __atomic_load_n(&header->heap_peak, __ATOMIC_RELAXED));
}

/*
 * Add what has gathered to the whole, where so much is live now, and `freed`
 * the size of the block that was freed just now. What is a little below the
 * highest stays there: were it added, the next block would be the highest
 * again. But not where what others hold makes that higher than the peak: it was
 * not so high with them.
 */
static inline void heap_total_flush(struct ledger_header *header,
                                    struct ledger_total *total,
                                    struct heap_now now, uint64_t freed)
{
    int64_t room = __atomic_load_n(&total->room, __ATOMIC_RELAXED);
    int64_t below = heap_total_below(room);
    int64_t top = (int64_t)freed;
    int64_t highest;

    if (now.live - heap_total_held(total) == total->others && below > top)
        top = below;
    heap_total_raise(header, now.live + top, now.maps);
    if (below >= 0 && below < LEDGER_TOTAL_BATCH &&
        heap_total_is_no_peak(header, &now, below))
        below = 0;
    else
        below = heap_total_below(__atomic_exchange_n(
            &total->room, LEDGER_TOTAL_BATCH, __ATOMIC_RELAXED));
    highest = __atomic_exchange_n(&total->highest, 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->live_bytes, highest - below, __ATOMIC_RELAXED);
    __atomic_store_n(&total->maps, now.maps, __ATOMIC_RELAXED);
    __atomic_store_n(&total->others, now.live - heap_total_held(total),
                     __ATOMIC_RELAXED);
}

/* Add all of it: the shard has no highest from before. */
static inline void heap_total_settle(struct ledger_header *header,
                                     struct ledger_total *total)
{
    struct heap_now now = heap_total_now(header);
    int64_t below;

    heap_total_flush(header, total, now, 0);
    below = heap_total_below(__atomic_exchange_n(
        &total->room, LEDGER_TOTAL_BATCH, __ATOMIC_RELAXED));
    __atomic_fetch_sub(&header->live_bytes, below, __ATOMIC_RELAXED);
    __atomic_store_n(&total->others, now.live, __ATOMIC_RELAXED);
}

/* A new highest. True: so much has gathered that it should be added. */
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
 * By the thread whose shard it is; what a signal handler adds is not lost.
 * True: it has become so much that the thread should settle.
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
 * By any thread, to the total that all share; its `highest` is 0. True: so much
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
    WORD_RAISE(&header->peak_bytes,
               __atomic_load_n(&total->others, __ATOMIC_RELAXED) - below);
    if (side == SHARD_FREE)
        return below + LEDGER_TOTAL_BATCH >=
               __atomic_load_n(&total->fall_at, __ATOMIC_RELAXED);
    if (below <= -LEDGER_TOTAL_BATCH)
        heap_total_flush(header, total, heap_total_now(header), 0);
    return false;
}

/* The peak so far, of heap and maps or of the heap alone. Any thread. */
static inline uint64_t heap_total_peak(const struct ledger_header *header,
                                       bool has_maps)
{
    bool is_alone = !has_maps && heap_total_has_maps(header);
    struct heap_now now = heap_total_now(header);
    int64_t peak = __atomic_load_n(
        is_alone ? &header->heap_peak : &header->peak_bytes, __ATOMIC_RELAXED);

    WORD_RAISE(&peak, now.live - (is_alone ? now.maps : 0));
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        const struct ledger_total *total = &header->totals[i];

        WORD_RAISE(&peak,
                   __atomic_load_n(&total->others, __ATOMIC_RELAXED) +
                       __atomic_load_n(&total->highest, __ATOMIC_RELAXED) -
                       (is_alone
                            ? __atomic_load_n(&total->maps, __ATOMIC_RELAXED)
                            : 0));
    }
    return peak > 0 ? (uint64_t)peak : 0;
}

/*
 * By a thread that begins to allocate or free: what others have held at most
 * counts as of now, and each that goes on looks at its next free.
 */
static inline void heap_total_share(struct ledger_header *header)
{
    WORD_RAISE(&header->peak_bytes, (int64_t)heap_total_peak(header, true));
    if (heap_total_has_maps(header))
        WORD_RAISE(&header->heap_peak, (int64_t)heap_total_peak(header, false));
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++)
        __atomic_store_n(&header->totals[i].fall_at, 0, __ATOMIC_RELAXED);
    heap_total_flush(header, &header->totals[0], heap_total_now(header), 0);
}

/*
 * By who is about to map the first time: from now on peaks are of heap and maps
 * together. One thread at a time.
 */
static inline void heap_total_begin_maps(struct ledger_header *header)
{
    if (heap_total_has_maps(header))
        return;
    header->heap_peak = (int64_t)heap_total_peak(header, false);
    __atomic_store_n(&header->peak_has_maps, 1, __ATOMIC_SEQ_CST);
    /* What others have added in between, before there was any map. */
    WORD_RAISE(&header->heap_peak, (int64_t)heap_total_peak(header, true));
}
