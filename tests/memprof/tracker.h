/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracker.h - a tracker that checks the life of each block
 *
 * Each sampled block has an item, which goes from born over promoted to dead
 * and nowhere else. Counters are atomic: glibc declares malloc and free as leaf
 * functions, which call nothing of the program's.
 */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tally/memprof.h"

enum state { ITEM_NONE, ITEM_MINOR, ITEM_MAJOR, ITEM_DEAD };

enum { ITEMS = 1 << 20 };

struct item {
    _Atomic int state;
    bool was_promoted;
    struct memprof_allocation allocation;
};

static struct item items[ITEMS];
static _Atomic unsigned item_count;

static _Atomic unsigned allocs_minor, allocs_major, promotes, deallocs_minor,
    deallocs_major, failures;
static struct memprof_allocation last; /* arguments of the last alloc
                                          callback */

/* A thread is in one callback at a time. */
static _Thread_local int inside;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                     \
        }                                                                   \
    } while (0)

#define CHECK_IS(found, expected)                                      \
    do {                                                               \
        long long found_ = (long long)(found);                         \
        long long expected_ = (long long)(expected);                   \
                                                                       \
        if (found_ != expected_) {                                     \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, \
                    __LINE__, #found, found_, expected_);              \
            failures++;                                                \
        }                                                              \
    } while (0)

static inline void enter_callback(void)
{
    CHECK(inside == 0);
    inside = 1;
}

static inline void *born(const struct memprof_allocation *allocation,
                         enum state state)
{
    struct item *item = &items[item_count++ % ITEMS];

    CHECK(allocation->n_samples >= 1);
    CHECK(allocation->n_samples <= allocation->size + 1);
    CHECK_IS(allocation->size,
             (allocation->bytes + sizeof(void *) - 1) / sizeof(void *));
    *item = (struct item){ .allocation = *allocation };
    item->state = state;
    last = *allocation;
    return item;
}

static inline void *
track_alloc_minor(const struct memprof_allocation *allocation, void *context)
{
    void *item;

    (void)context;
    enter_callback();
    CHECK(allocation->size <= 256);
    allocs_minor++;
    item = born(allocation, ITEM_MINOR);
    inside = 0;
    return item;
}

static inline void *
track_alloc_major(const struct memprof_allocation *allocation, void *context)
{
    void *item;

    (void)context;
    enter_callback();
    allocs_major++;
    item = born(allocation, ITEM_MAJOR);
    inside = 0;
    return item;
}

static inline void *track_promote(void *minor, void *context)
{
    struct item *item = minor;

    (void)context;
    enter_callback();
    promotes++;
    CHECK(!item->was_promoted);
    CHECK_IS(atomic_exchange(&item->state, ITEM_MAJOR), ITEM_MINOR);
    item->was_promoted = true;
    inside = 0;
    return item;
}

static inline void track_dealloc_minor(void *minor, void *context)
{
    struct item *item = minor;

    (void)context;
    enter_callback();
    deallocs_minor++;
    CHECK_IS(atomic_exchange(&item->state, ITEM_DEAD), ITEM_MINOR);
    inside = 0;
}

static inline void track_dealloc_major(void *major, void *context)
{
    struct item *item = major;

    (void)context;
    enter_callback();
    deallocs_major++;
    CHECK_IS(atomic_exchange(&item->state, ITEM_DEAD), ITEM_MAJOR);
    inside = 0;
}

static const struct memprof_tracker tracker = {
    track_alloc_minor,   track_alloc_major,   track_promote,
    track_dealloc_minor, track_dealloc_major, NULL,
};

static inline void forget_all(void)
{
    allocs_minor = allocs_major = promotes = 0;
    deallocs_minor = deallocs_major = 0;
    item_count = 0;
    memset(&last, 0, sizeof last);
}

/* Check the exact counts since the last call, and reset them. */
static inline void expect(const char *what, unsigned minor, unsigned major,
                          unsigned promoted, unsigned dead_minor,
                          unsigned dead_major)
{
    if (allocs_minor != minor || allocs_major != major ||
        promotes != promoted || deallocs_minor != dead_minor ||
        deallocs_major != dead_major) {
        fprintf(stderr, "%s: %u %u %u %u %u, expected %u %u %u %u %u\n", what,
                allocs_minor, allocs_major, promotes, deallocs_minor,
                deallocs_major, minor, major, promoted, dead_minor, dead_major);
        failures++;
    }
    allocs_minor = allocs_major = promotes = 0;
    deallocs_minor = deallocs_major = 0;
}

static inline struct memprof *start_at(double rate)
{
    struct memprof *profile = NULL;

    CHECK_IS(memprof_start(rate, INT_MAX, &tracker, &profile), 0);
    return profile;
}

static inline void end(struct memprof *profile)
{
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_discard(profile), 0);
}

/* Return the exit status of main(). */
static inline int end_of_test(void)
{
    return failures != 0;
}
