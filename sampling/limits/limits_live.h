/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_live.h - what the process holds, for limits_set_global()
 *
 * Each thread has a number: it adds what it allocates and subtracts what it
 * frees, in usable bytes, also blocks of other threads. The sum of all numbers,
 * with what was held before, is what the process holds. A number outlives its
 * thread; a later thread goes on with it.
 *
 * A thread makes the sum when it has allocated its part of a third of what was
 * left; then all learn how near the limit is, and make their parts smaller. So
 * no thread misses it by more than the block that it allocates at that moment.
 *
 * Nothing is counted before the first such limit: limits_live_is_counted().
 * Hosts only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hidden.h"
#include "port/words.h"

/* Alone in its cache line. */
struct __attribute__((aligned(64))) limits_live_number {
    uint64_t bytes; /* a negative number, too */
    uint32_t is_taken;
    struct limits_live_number *next; /* all that there ever were */
};

struct limits_live {
    struct limits_live_number shared; /* of threads that have none */
    struct limits_live_number *first;
    int64_t limit;       /* negative: there is none */
    int64_t base;        /* held before counting began */
    uint32_t taken;      /* numbers that threads have */
    uint32_t nearness;   /* the smaller, the nearer; when it was last seen */
    uint32_t is_counted; /* for good */
    uint32_t is_used;    /* limits are, in this process or its parent */
};

extern HIDDEN struct limits_live limits_live;

static inline bool limits_live_is_counted(void)
{
    return __atomic_load_n(&limits_live.is_counted, __ATOMIC_RELAXED) != 0;
}

/* Begin to count; `base` is what is held already. Only the first call
   counts. */
void limits_live_count(int64_t base);

void limits_live_limit(int64_t live_bytes);

/* A number for the calling thread; without memory the one that all share. */
struct limits_live_number *limits_live_take(void);
void limits_live_give(struct limits_live_number *number);

/* In the child of a fork: there is one thread, which keeps its number, or
   NULL. */
void limits_live_alone(struct limits_live_number *own);

/* In one piece, for the thread's handlers. */
static inline void limits_live_add(struct limits_live_number *number,
                                   int64_t bytes)
{
    if (number != &limits_live.shared)
        words_add_own_64(&number->bytes, (uint64_t)bytes);
    else
        __atomic_fetch_add(&number->bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
}

static inline int64_t limits_live_bytes(const struct limits_live_number *number)
{
    return (int64_t)__atomic_load_n(&number->bytes, __ATOMIC_RELAXED);
}

int64_t limits_live_read(void);

/*
 * How much more may be held; negative: too much is. INT64_MAX: no limit. All
 * learn of it.
 */
int64_t limits_live_room(void);

/* Bits of a room. All threads whose own is larger look again. */
static inline uint32_t limits_live_nearness(int64_t room)
{
    return room > 0 ? 64 - (uint32_t)__builtin_clzll((uint64_t)room) : 0;
}

static inline bool limits_live_is_nearer(uint32_t nearness)
{
    return __atomic_load_n(&limits_live.nearness, __ATOMIC_RELAXED) < nearness;
}

/*
 * Bytes that may be requested in any number of blocks that take no more than
 * `room` beyond what they took before, if that is checked after each of them:
 * one takes a quarter more than its size, and this.
 */
enum { LIMITS_LIVE_SLACK = 16384 };

static inline uint64_t limits_live_within(uint64_t room)
{
    return room > LIMITS_LIVE_SLACK ? (room - LIMITS_LIVE_SLACK) / 3 : 0;
}

/* What a thread may allocate before it looks again, when so much is left. */
uint64_t limits_live_step(int64_t room);

/* Whether `size` bytes more are within the limit. */
bool limits_live_admits(uint64_t size);
