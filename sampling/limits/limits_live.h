/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_live.h - live bytes of the process, for limits_set_global()
 *
 * Each thread has a number: it adds the usable bytes it allocates and subtracts
 * those it frees, even of other threads' blocks. The sum of all numbers plus
 * the bytes live before is the process's live bytes. A number outlives its
 * thread; a later thread takes it over.
 *
 * A thread computes the sum when it has allocated its share of a third of the
 * remaining bytes; all threads then learn how near the limit is, and reduce
 * their shares. So no thread exceeds the limit by more than the block it is
 * allocating.
 *
 * Counting starts with the first such limit: limits_live_is_counted(). Hosts
 * only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hidden.h"
#include "port/words.h"

/* In a cache line of its own. */
struct __attribute__((aligned(64))) limits_live_number {
    uint64_t bytes; /* may be negative */
    uint32_t is_taken;
    struct limits_live_number *next; /* list of all numbers */
};

struct limits_live {
    struct limits_live_number shared; /* for threads without a number */
    struct limits_live_number *first;
    int64_t limit;       /* bytes; negative: none */
    int64_t base;        /* bytes live before counting began */
    uint32_t taken;      /* numbers in use by threads */
    uint32_t nearness;   /* smaller means nearer; as last seen */
    uint32_t is_counted; /* set for good */
    uint32_t is_used;    /* limits are used, in this process or its parent */
};

extern HIDDEN struct limits_live limits_live;

static inline bool limits_live_is_counted(void)
{
    return __atomic_load_n(&limits_live.is_counted, __ATOMIC_RELAXED) != 0;
}

/* Start counting; `base` is the bytes already live. Later calls do nothing. */
void limits_live_count(int64_t base);

void limits_live_limit(int64_t live_bytes);

/* Return a number for the calling thread; without memory, the shared one. */
struct limits_live_number *limits_live_take(void);
void limits_live_give(struct limits_live_number *number);

/* Reset a forked child, whose only thread keeps its number, or NULL. */
void limits_live_alone(struct limits_live_number *own);

/* Add in one instruction, because of the thread's signal handlers. */
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

/* Return the bytes that may still be allocated; negative: too many are live;
   INT64_MAX: no limit. Publish it for all threads. */
int64_t limits_live_room(void);

/* Return the bits of a room. Threads whose own value is larger check again. */
static inline uint32_t limits_live_nearness(int64_t room)
{
    return room > 0 ? 64 - (uint32_t)__builtin_clzll((uint64_t)room) : 0;
}

static inline bool limits_live_is_nearer(uint32_t nearness)
{
    return __atomic_load_n(&limits_live.nearness, __ATOMIC_RELAXED) < nearness;
}

/*
 * Return the bytes that may be requested, in any number of blocks, so that
 * their usable size does not exceed `room`, if that is checked after each
 * block: a block takes up to a quarter more than its size, plus
 * LIMITS_LIVE_SLACK.
 */
enum { LIMITS_LIVE_SLACK = 16384 };

static inline uint64_t limits_live_within(uint64_t room)
{
    return room > LIMITS_LIVE_SLACK ? (room - LIMITS_LIVE_SLACK) / 3 : 0;
}

/* Return the bytes that a thread may allocate before it checks again. */
uint64_t limits_live_step(int64_t room);

/* Return true if `size` more bytes are within the limit. */
bool limits_live_admits(uint64_t size);
