/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_total.h - the peak, of the heap and of heap and maps together
 *
 * Threads that add to one total on every call would wait for each other. So
 * each shard keeps its gain since its last flush, and flushes it to the whole
 * when it is large:
 *
 *     header   live_bytes   peak_bytes        whole
 *     totals   highest      room              one for each shard
 *
 * An allocation takes its bytes from `room` and needs no more unless none is
 * left. The heap is highest just before it falls, so free does the check: less
 * room than at the highest point means a new highest point.
 *
 * Live bytes are live_bytes, plus highest + LEDGER_TOTAL_BATCH - room of each
 * total, at every instant. An unflushed highest point counts beside the bytes
 * that other threads held at this thread's last flush: `others`. So the peak is
 * exact as long as no other thread changes anything meanwhile. This holds for
 * one thread, and for threads that do not allocate or free while a later one
 * lives: the highest point of each is checked when the next one begins
 * (heap_total_share()), and each checks again at its first free after that.
 * Threads that take turns otherwise, or run at once, may each be off by
 * LEDGER_TOTAL_BATCH plus the block in hand. Readers add up the totals as well.
 *
 * Maps are few, so each is added to the whole at once, in `map_bytes`. Between
 * two maps the sum of both is the heap's level plus a constant: so a thread
 * flushes everything before it maps (heap_total_flush_all()), and
 * `peak_with_maps` is known wherever `peak_bytes` is. It is kept from the first
 * map on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "format/ledger/ledger_layout.h"
#include "ledger/export.h"
#include "ledger/shards/shard_add.h"

_Static_assert((int)LEDGER_TOTAL_CAPACITY == (int)SHARD_FIRST_CPU, "one each");

/* In rise_at: every call must be checked, and `room` stays negative. */
#define HEAP_TOTAL_UNDER INT64_MIN

/* Return the bytes from here to the shard's highest point; negative: above
   it. */
static inline int64_t heap_total_below(int64_t room)
{
    return room - LEDGER_TOTAL_BATCH;
}

/* Return the shard's bytes that are not in the whole yet. */
static inline int64_t heap_total_held(const struct ledger_total *total)
{
    return __atomic_load_n(&total->highest, __ATOMIC_RELAXED) -
           heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED));
}

struct heap_now {
    /* threads that own a shard, plus 1 if others share one; at least 1 */
    uint32_t users;
    int64_t live; /* live bytes of the heap, unflushed ones included */
    int64_t maps; /* bytes of maps */
};

static inline struct heap_now heap_total_now(const struct ledger_header *header)
{
    struct heap_now now = {
        .live = __atomic_load_n(&header->live_bytes, __ATOMIC_RELAXED),
        .maps = __atomic_load_n(&header->map_bytes, __ATOMIC_RELAXED),
    };

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        if (__atomic_load_n(&header->totals[i].is_used, __ATOMIC_RELAXED) == 0)
            continue;
        now.users++;
        now.live += heap_total_held(&header->totals[i]);
    }
    now.users += now.users == 0; /* the ledger's bytes may be damaged */
    return now;
}

static inline bool heap_total_has_maps(const struct ledger_header *header)
{
    return __atomic_load_n(&header->map_peak_number, __ATOMIC_RELAXED) != 0;
}

/* Raise the peaks to `live` bytes of the heap beside `maps` of maps. */
static inline void heap_total_raise(struct ledger_header *header, int64_t live,
                                    int64_t maps)
{
    WORD_RAISE(&header->peak_bytes, live);
    if (heap_total_has_maps(header))
        WORD_RAISE(&header->peak_with_maps, live + maps);
}

/* Return true if `more` bytes than now would exceed neither peak. */
static inline bool heap_total_is_no_peak(const struct ledger_header *header,
                                         const struct heap_now *now,
                                         int64_t more)
{
    return now->live + more <=
               __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED) &&
           (!heap_total_has_maps(header) ||
            now->live + now->maps + more <=
                __atomic_load_n(&header->peak_with_maps, __ATOMIC_RELAXED));
}

/*
 * Add the shard's gain to the whole, given the live bytes and the size of the
 * block `freed` just now. A shard slightly below its highest point keeps it: if
 * that were flushed, the next block would be a new highest point. But it is
 * flushed if other threads' bytes make it exceed the peak: it was not so high
 * together with them.
 */
static inline void heap_total_flush(struct ledger_header *header,
                                    struct ledger_total *total,
                                    struct heap_now now, uint64_t freed)
{
    int64_t room = __atomic_load_n(&total->room, __ATOMIC_RELAXED);
    int64_t below = heap_total_below(room);
    int64_t top = (int64_t)freed;
    int64_t highest;

    if (now.live - heap_total_held(total) == total->others &&
        now.maps == total->maps && below > top)
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

/* Flush everything: the shard keeps no highest point. */
static inline void heap_total_flush_all(struct ledger_header *header,
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

/* Record a new highest point. Return true if the gain should be flushed. */
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

/* Add to the calling thread's own total; additions of a signal handler are not
   lost. Return true if the thread should flush. */
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

/* Add to the total that threads share, whose `highest` is 0. Any thread. Return
   true if so much was freed that it should be flushed. */
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

/* Return the peak so far, of the heap or of heap and maps. Any thread. */
static inline uint64_t heap_total_peak(const struct ledger_header *header,
                                       bool with_maps)
{
    bool has_maps = with_maps && heap_total_has_maps(header);
    struct heap_now now = heap_total_now(header);
    int64_t peak = __atomic_load_n(has_maps ? &header->peak_with_maps
                                            : &header->peak_bytes,
                                   __ATOMIC_RELAXED);

    WORD_RAISE(&peak, now.live + (has_maps ? now.maps : 0));
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        const struct ledger_total *total = &header->totals[i];

        WORD_RAISE(&peak,
                   __atomic_load_n(&total->others, __ATOMIC_RELAXED) +
                       __atomic_load_n(&total->highest, __ATOMIC_RELAXED) +
                       (has_maps
                            ? __atomic_load_n(&total->maps, __ATOMIC_RELAXED)
                            : 0));
    }
    return peak > 0 ? (uint64_t)peak : 0;
}

/* Called by a thread that begins to allocate or free: take the highest points
   of the others as of now, and have each check at its next free. */
static inline void heap_total_share(struct ledger_header *header)
{
    WORD_RAISE(&header->peak_bytes, (int64_t)heap_total_peak(header, false));
    if (heap_total_has_maps(header))
        WORD_RAISE(&header->peak_with_maps,
                   (int64_t)heap_total_peak(header, true));
    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++)
        __atomic_store_n(&header->totals[i].fall_at, 0, __ATOMIC_RELAXED);
    heap_total_flush(header, &header->totals[0], heap_total_now(header), 0);
}

/* Called before the first map. One thread at a time. */
static inline void heap_total_begin_maps(struct ledger_header *header)
{
    if (heap_total_has_maps(header))
        return;
    header->peak_with_maps = (int64_t)heap_total_peak(header, false);
    __atomic_store_n(&header->map_peak_number, 1, __ATOMIC_SEQ_CST);
    /* Include the bytes that others added in between, before any map. */
    WORD_RAISE(&header->peak_with_maps,
               (int64_t)heap_total_peak(header, false));
}
