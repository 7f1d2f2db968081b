/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_state.h - profiles, domains, lives of blocks, state of threads
 *
 * The functions are in memprof_state.c, from memprof_retire_here() on in
 * memprof_lives.c, and at the end in memprof_client.c. No lock is held while a
 * callback runs. Invariants:
 *
 *   P1  profiles and domains change under the countdown's lock; their fields
 *       are read without it
 *   P2  a thread is busy while it runs a callback; callbacks that become due
 *       meanwhile run after it has returned
 *   P3  a discarded profile is reused only when no domain has it, no thread
 *       samples for it, and no entry or announced birth holds it
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"
#include "sampling/countdown/countdown.h"
#include "sampling/countdown/sampler.h"
#include "sampling/countdown/tracked_blocks.h"
#include "sampling/limits/limits.h"
#include "sampling/memprof/memprof_calls.h"

enum memprof_stage {
    MEMPROF_UNUSED,
    MEMPROF_SAMPLING,
    MEMPROF_STOPPED,
    MEMPROF_DISCARDED,
};

struct memprof {
    struct memprof *next; /* first: in the list of unused or discarded
                             profiles */
    struct memprof_tracker tracker;
    double rate;
    uint64_t seed;
    uint64_t epoch; /* amounts */
    size_t minor_words;
    int callstack_size;
    uint32_t stage;
    uint32_t number;  /* unique */
    uint32_t process; /* process it belongs to: countdown_lock() */
    uint32_t domains; /* domains that have it */
    uint32_t holds;   /* entries and announced births that hold it */
};

struct memprof_domain {
    void *next;              /* first: in the list of ended domains */
    struct memprof *profile; /* NULL: none */
    uint32_t threads;        /* not counted in the first domain */
    bool is_first;
};

/* Private to memprof_client.c. */
struct memprof_bulk;
struct memprof_waiting;
struct memprof_chunk;

/* State of a thread in the countdown's memory, initially zero. */
struct memprof_thread {
    struct memprof_domain *domain;
    struct memprof *profile; /* profile of the sampler; NULL: none */
    struct sampler sampler;
    uint64_t sampled;     /* position up to which trials were made */
    uint64_t epoch_end;   /* position plus `custom` */
    uint64_t epoch;       /* length in amounts */
    uint64_t custom;      /* amounts of memory that is not a block */
    uint32_t is_advanced; /* another thread has ended the epoch */
    uint32_t must_advance;
    struct tracked *retired; /* list of entries to retire later */

    /* Minor blocks of the epoch, possibly freed; taken together. */
    uint32_t young_lock;
    struct tracked_name *young;
    size_t young_count, young_room;

    /* Used by memprof_client.c. */
    uint32_t marshal_depth;
    uint32_t bulk_count; /* blocks of the scope so far */
    struct memprof_bulk *bulks;
    struct memprof_waiting *waiting, *waiting_last;
    struct memprof_chunk *chunks;
};

_Static_assert(sizeof(struct memprof_thread) <= COUNTDOWN_ROOM,
               "what memprof keeps for a thread fits");

static inline struct memprof_thread *memprof_room(struct counted_thread *thread)
{
    return countdown_room(thread, COUNTDOWN_MEMPROF);
}

static inline bool memprof_has_stage(const struct memprof *profile,
                                     enum memprof_stage stage)
{
    return __atomic_load_n(&profile->stage, __ATOMIC_ACQUIRE) == stage;
}

/* P3: for a thread that samples for the profile, or has another hold. */
static inline void memprof_hold(struct memprof *profile)
{
    __atomic_add_fetch(&profile->holds, 1, __ATOMIC_RELAXED);
}

static inline void memprof_unhold(struct memprof *profile, uint32_t holds)
{
    uint32_t before =
        __atomic_fetch_sub(&profile->holds, holds, __ATOMIC_RELEASE);

    INVARIANT(P3, before >= holds);
}

/* Set the profile of an entry, which holds it. */
static inline void memprof_set_profile(struct tracked *entry,
                                       struct memprof *profile)
{
    entry->profile = profile;
    if (profile != NULL)
        memprof_hold(profile);
}

/* Free an entry that was made or taken, and its hold. */
static inline void memprof_release(struct tracked *entry)
{
    struct memprof *profile = entry->profile;

    tracked_release(entry);
    if (profile != NULL)
        memprof_unhold(profile, 1);
}

/* Return the words of a block, without its header. */
static inline size_t memprof_words(size_t bytes)
{
    return bytes / sizeof(void *) + (bytes % sizeof(void *) != 0);
}

/* Return the domain of a thread, even of one that has not counted. */
struct memprof_domain *memprof_domain_of(struct counted_thread *thread);

/* Join the inherited domain. */
void memprof_domain_join(struct memprof_thread *room);

/*
 * Return the domain of the calling thread, and keep it alive until a thread
 * about to be created enters or drops it. NULL: the first domain, which lives
 * on anyway.
 */
struct memprof_domain *memprof_domain_hold(void);
void memprof_domain_enter(struct memprof_domain *domain);
void memprof_domain_drop(struct memprof_domain *domain);

/*
 * Lock the shared state; after a fork, first forget the parent's. Until the
 * unlock, handlers of this thread stay out (C4 of countdown.h): their
 * allocations are not sampled.
 */
void memprof_lock(void);
void memprof_unlock(void);

/* Stop counting if the last entry has ended. No lock held. */
void memprof_stop_if_idle(void);

/*
 * Continue counting after an entry of this profile, which the caller holds, was
 * inserted. If the profile is stopped, counting may be off: turn it on. If it
 * is discarded, release the entry. No lock held.
 */
void memprof_keep_counting(struct memprof *profile);

/* Arguments of an alloc callback; `key` is its entry's. */
struct memprof_birth {
    uint64_t key;
    struct memprof *profile;
    const void *origin; /* of a counted_block; NULL: the call stack is here */
    uintptr_t caller;   /* of a counted_block */
    struct memprof_allocation allocation;
};

enum memprof_outcome {
    MEMPROF_REFUSED, /* the allocation must fail */
    MEMPROF_IGNORED,
    MEMPROF_FOLLOWED,
};

/* A birth whose alloc callback has run before its block exists. */
struct memprof_announced {
    struct memprof *profile;
    void *metadata; /* NULL: it is not followed, and holds no profile */
    uint32_t n_samples;
    bool is_major;
};

_Static_assert(sizeof(struct memprof_announced) <= COUNTDOWN_KEPT,
               "what is kept of a birth fits");

/* Return true if the profile was discarded, or belongs to a parent process. */
static inline bool memprof_is_over(const struct memprof *profile)
{
    return memprof_has_stage(profile, MEMPROF_DISCARDED) ||
           !countdown_is_process(profile->process);
}

static inline bool memprof_is_major(const struct memprof *profile,
                                    const struct memprof_allocation *allocation)
{
    return allocation->size > profile->minor_words;
}

/* End an entry that was taken, now or after running callbacks. In the calling
   thread, even if it does not count or is in a callback. */
void memprof_retire_here(struct tracked *entry);

/* Put the entry back into the table. */
void memprof_put_back(struct tracked *entry);

/* Callbacks of countdown_client.h: take a block's record, then retire it or put
   it back. */
void *memprof_take_block(void *block);
void memprof_retire_taken(struct counted_thread *thread, void *taken,
                          bool is_replaced);
void memprof_put_back_taken(void *taken);

/* The functions below are for a thread that has entered: countdown_enter(). */

/* Call the alloc callback of a sampled block, and follow the block. */
enum memprof_outcome memprof_begin_life(struct counted_thread *thread,
                                        struct memprof_birth *birth);

/* Call only its alloc callback; return false if the allocation must fail. */
bool memprof_announce(struct counted_thread *thread,
                      struct memprof_birth *birth,
                      struct memprof_announced *announced);

/* Follow an announced block; key 0: there is no block. */
void memprof_begin_announced(struct counted_thread *thread, uint64_t key,
                             const struct memprof_announced *announced);

/* Follow a block whose entry is in the table, claimed, since it was
   allocated. */
void memprof_begin_late(struct counted_thread *thread, struct tracked *entry,
                        const struct memprof_allocation *allocation);

/* Add a minor block to this epoch. */
void memprof_add_young(struct memprof_thread *room, struct tracked_name name);

/* Call the last callback of an entry that the caller owns. */
void memprof_end_life(struct counted_thread *thread, struct tracked *entry);

/* Run the work deferred while callbacks ran. */
void memprof_catch_up(struct counted_thread *thread);

/* End the thread's own epoch. */
void memprof_end_epoch(struct counted_thread *thread);

/* End the epoch in all threads of a domain. */
void memprof_advance_all(struct counted_thread *thread,
                         const struct memprof_domain *domain);

/* Free the young list of a thread that ends. */
void memprof_free_young(struct memprof_thread *room);

/* Find the call stack of a birth, as deep as the profile wants. */
void memprof_find_call_stack(struct counted_thread *thread,
                             struct memprof_birth *birth);

/* Client of the countdown, in memprof_client.c like all functions below. */
extern HIDDEN const struct countdown_client memprof_client;

/* Call alloc for the blocks of a marshal scope; of the calling thread's open
   scope. */
void memprof_end_scope(struct counted_thread *thread);
void memprof_flush_scope(void);

/* Record a file map; and end the maps that begin in a range, at one of its
   pages. */
bool memprof_mapped(void *map, size_t bytes, const void *origin);
void memprof_unmapped(void *at, size_t bytes, size_t page);

/* Lift the record of a map before it moves (NULL: none), and put it back at its
   new address, or the old one if it did not move. */
struct tracked *memprof_lift_map(void *map);
void memprof_put_back_map(struct tracked *lifted, void *map);

/* Return true if any sampled file map exists. */
bool memprof_has_maps(void);
