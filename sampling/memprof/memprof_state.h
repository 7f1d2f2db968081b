/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_state.h - profiles, domains, the lives of blocks, and what a thread
 * keeps for them: memprof_state.c, from memprof_retire_here() on
 * memprof_lives.c, and at the end memprof_client.c
 *
 * No lock is held while a callback runs. Invariants:
 *
 *   P1  profiles and domains change with the countdown's lock held; their
 *       fields are read without it
 *   P2  the thread is busy while a callback of its own runs; what becomes due
 *       then is put off, and comes when it has returned
 *   P3  a discarded profile becomes another one only when no domain has it, no
 *       thread samples for it, and no entry or announced birth holds it
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"
#include "sampling/countdown/countdown.h"
#include "sampling/countdown/sampler.h"
#include "sampling/countdown/tracked_blocks.h"
#include "sampling/memprof/memprof_calls.h"

enum memprof_stage {
    MEMPROF_UNUSED,
    MEMPROF_SAMPLING,
    MEMPROF_STOPPED,
    MEMPROF_DISCARDED,
};

struct memprof {
    struct memprof *next; /* first: of those unused, or discarded */
    struct memprof_tracker tracker;
    double rate;
    uint64_t seed;
    uint64_t epoch; /* amounts */
    size_t minor_words;
    int callstack_size;
    uint32_t stage;
    uint32_t number;  /* unique */
    uint32_t process; /* that it is of: countdown_lock() */
    uint32_t domains; /* whose profile it is */
    uint32_t holds;   /* entries that have it, and announced births */
};

struct memprof_domain {
    void *next;              /* first: of those that have ended */
    struct memprof *profile; /* NULL: none yet */
    uint32_t threads;        /* not counted in the first domain */
    bool is_first;
};

/* memprof_client.c */
struct memprof_bulk;
struct memprof_waiting;
struct memprof_chunk;

/* What a thread has: its room of the countdown, zeros at first. */
struct memprof_thread {
    struct memprof_domain *domain;
    struct memprof *profile; /* that the sampler is of; NULL: none */
    struct sampler sampler;
    uint64_t sampled;     /* position up to which trials were made */
    uint64_t epoch_end;   /* position, and `custom` */
    uint64_t epoch;       /* its length, in amounts */
    uint64_t custom;      /* amounts of memory that is no block */
    uint32_t is_advanced; /* another thread has ended the epoch */
    uint32_t must_advance;
    struct tracked *retired; /* put off; a list */

    /* Minor blocks of the epoch, some of which are gone; taken as a whole. */
    uint32_t young_lock;
    struct tracked_name *young;
    size_t young_count, young_room;

    /* memprof_client.c */
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

/* P3: for a caller whose thread samples for it, or that has another hold. */
static inline void memprof_hold(struct memprof *profile)
{
    __atomic_add_fetch(&profile->holds, 1, __ATOMIC_RELAXED);
}

static inline void memprof_let_go(struct memprof *profile, uint32_t holds)
{
    uint32_t before =
        __atomic_fetch_sub(&profile->holds, holds, __ATOMIC_RELEASE);

    INVARIANT(P3, before >= holds);
}

/* The entry holds it from now on. */
static inline void memprof_set_profile(struct tracked *entry,
                                       struct memprof *profile)
{
    entry->profile = profile;
    if (profile != NULL)
        memprof_hold(profile);
}

/* An entry that was made, or taken, is of no more use. */
static inline void memprof_release(struct tracked *entry)
{
    struct memprof *profile = entry->profile;

    tracked_release(entry);
    if (profile != NULL)
        memprof_let_go(profile, 1);
}

/* Words of a block, header excluded. */
static inline size_t memprof_words(size_t bytes)
{
    return bytes / sizeof(void *) + (bytes % sizeof(void *) != 0);
}

/* The domain of a thread, or of one that has not counted. */
struct memprof_domain *memprof_domain_of(struct counted_thread *thread);

/* A thread takes part: the domain that it inherits. */
void memprof_domain_join(struct memprof_thread *room);

/*
 * The domain of the calling thread, which lives on until a thread that is about
 * to be made enters or drops it. NULL: the first, which needs no such care.
 */
struct memprof_domain *memprof_domain_hold(void);
void memprof_domain_enter(struct memprof_domain *domain);
void memprof_domain_drop(struct memprof_domain *domain);

/*
 * Begin to change what is shared; after a fork all that the parent had is
 * forgotten first. Until the end, handlers of this thread stay out (C4 of
 * countdown.h): what they allocate is not sampled.
 */
void memprof_lock(void);
void memprof_unlock(void);

/* An entry has come to its end: with the last one counting ends. No lock
   held. */
void memprof_stop_if_idle(void);

/*
 * An entry of this profile, which the caller holds, has come into the table. If
 * the profile was stopped before, counting may be off: turn it on; if
 * discarded, release the entry. No lock held.
 */
void memprof_keep_counting(struct memprof *profile);

/* What an alloc callback is told, and what for; `key` is its entry's. */
struct memprof_birth {
    uint64_t key;
    struct memprof *profile;
    const void *origin; /* of a counted_block; NULL: the call stack is here */
    uintptr_t caller;   /* of a counted_block */
    struct memprof_allocation allocation;
};

enum memprof_born {
    MEMPROF_REFUSED, /* the allocation is to fail */
    MEMPROF_IGNORED,
    MEMPROF_FOLLOWED,
};

/* A birth whose alloc callback has run, before its block is there. */
struct memprof_announced {
    struct memprof *profile;
    void *metadata; /* NULL: it is not followed, and holds no profile */
    uint32_t n_samples;
    bool is_major;
};

_Static_assert(sizeof(struct memprof_announced) <= COUNTDOWN_KEPT,
               "what is kept of a birth fits");

/* It was discarded, or is that of a process that has forked this one. */
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

/* An entry that was taken comes to its end, now or when callbacks are over. In
   the calling thread, whether it counts or is in a callback. */
void memprof_retire_here(struct tracked *entry);

/* Put the entry back into the table. */
void memprof_put_back(struct tracked *entry);

/* What countdown_client.h asks for: a block is taken, and ends or goes on. */
void *memprof_take_block(void *block);
void memprof_retire_taken(struct counted_thread *thread, void *taken);
void memprof_put_back_taken(void *taken);

/* What follows is for a thread that has entered: countdown_enter(). */

/* A block was sampled: its alloc callback, and what follows from that. */
enum memprof_born memprof_bear(struct counted_thread *thread,
                               struct memprof_birth *birth);

/* Its alloc callback alone. False: the allocation is to fail. */
bool memprof_announce(struct counted_thread *thread,
                      struct memprof_birth *birth,
                      struct memprof_announced *announced);

/* What follows from it: there is a block, or, with key 0, none. */
void memprof_bear_announced(struct counted_thread *thread, uint64_t key,
                            const struct memprof_announced *announced);

/* The same for an entry that is in the table, claimed, since it was
   allocated. */
void memprof_bear_late(struct counted_thread *thread, struct tracked *entry,
                       const struct memprof_allocation *allocation);

/* A minor block of this epoch. */
void memprof_is_young(struct memprof_thread *room, struct tracked_name name);

/* The last callback of an entry that is the caller's. */
void memprof_end_life(struct counted_thread *thread, struct tracked *entry);

/* What was put off while callbacks ran. */
void memprof_catch_up(struct counted_thread *thread);

/* End the thread's own epoch. */
void memprof_end_epoch(struct counted_thread *thread);

/* End it in all threads of a domain. */
void memprof_advance_all(struct counted_thread *thread,
                         const struct memprof_domain *domain);

/* The room of a thread that ends. */
void memprof_free_young(struct memprof_thread *room);

/* The call stack of a birth, as long as the profile wants it. */
void memprof_find_call_stack(struct counted_thread *thread,
                             struct memprof_birth *birth);

/* What the countdown asks while it is wanted: memprof_client.c, with all that
   follows. */
extern HIDDEN const struct countdown_client memprof_client;

/* Run what waits for the calling thread's memprof_marshal_end(). */
void memprof_flush_scope(void);

/* A file was mapped; those that begin in a range, on one of its pages, are no
   more. */
bool memprof_mapped(void *map, size_t bytes, const void *origin);
void memprof_unmapped(void *at, size_t bytes, size_t page);

/* One is about to move, and has; `map` is where it was if it has not. NULL:
   none. */
struct tracked *memprof_lift_map(void *map);
void memprof_put_down_map(struct tracked *lifted, void *map);

/* Whether any file is mapped that was sampled. */
bool memprof_has_maps(void);
