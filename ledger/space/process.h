/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - this process's tie to its ledger, which a fork cuts by itself
 *
 * The tie lies in pages that the kernel gives to a forked child as zeros
 * (MADV_WIPEONFORK). Whatever made the child - fork, _Fork, a raw clone - it
 * finds no ledger, and its first allocation opens one. A child that shares our
 * memory (vfork, CLONE_VM) finds the tie intact and is recorded here, which is
 * right: it changes our heap.
 *
 * Of a thread there are 40 bytes of static TLS, with no destructor. They are
 * initial-exec: reading them never allocates. With tally_listeners
 * (tally/hook.h) this is all that the recorder adds to a thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/accounts/site_table.h"
#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_units.h"
#include "ledger/export.h"
#include "ledger/space/ledger_space.h"
#include "sampling/countdown/countdown_client.h"

enum process_claim {
    PROCESS_UNCLAIMED = 0,
    PROCESS_OPENING,
    PROCESS_REFUSED, /* not recorded, for good */
    PROCESS_OPEN,
};

struct stack_cache;

/* peak.h */
struct peak_state {
    const void *copier;   /* its recorder_thread; NULL: no thread copies */
    const void *given_up; /* the thread that others no longer wait for */
    int64_t held;         /* what was live at the last copy */
    int64_t passed;       /* accounts of less are no longer wanted */
    int64_t top;          /* the most that was seen since */
    uint32_t watched;     /* looks, by any thread, since then */
    const struct ledger_total *only; /* of the first thread that allocated */
    struct ledger_total *noting;     /* whose changes are noted; NULL: none */
    uint32_t is_shared;              /* there was more than one */
    int64_t noted;                   /* changes since the peak */
    int64_t note_limit;              /* 0: they are not noted */
    int64_t top_room;                /* with less it is higher than the peak */
    uint32_t passes; /* allocations above the peak, with no free since */
};

/* What a thread with a shard of its own needs for one allocation. */
struct short_way {
    /* The shard's counters; caller_base: NULL where a site is a stack. */
    char *caller_base;
    char *base;
    uint32_t near; /* ledger_space_near; 0: base is NULL */
    /* Its stacks; NULL: ask for them (recorder/stacks/stacks.c). */
    struct stack_cache *stacks;
    struct ledger_total *total;
    /* ledger_space_temporary() of a counter at the ledger's start. */
    char *temporary;
    uint64_t *sizes; /* by ledger_size_class() */
};

struct recorder_thread;

struct __attribute__((aligned(LEDGER_PAGE))) process {
    struct ledger_header *header; /* NULL: no ledger (yet) */
    /*
     * The same address once the ledger is open, as the hot path wants it: the
     * counter that a reference names lies 32 times the reference behind it.
     */
    char *base;
    /* Of the thread that owns a shard; of index 0 all is NULL. */
    struct short_way short_ways[LEDGER_TOTAL_CAPACITY];
    /* These are read by each call, and lie in one line of the cache. */
    uint32_t mode; /* recorder/calls/mode.h: what entry points do */
    struct countdown_words counting;
    uint32_t observers;  /* recorder/observer.h: which see each call */
    uint32_t is_idle;    /* no block is recorded here, for good */
    uint32_t is_sampled; /* accounts of the heap are made of samples alone */
    uint32_t trace_lock; /* of tally/mem_trace.h */
    uint32_t claim;      /* enum process_claim */
    const struct recorder_thread *in_maps; /* holds map_accounts.c's lock */
    struct peak_state peak;
    /* The thread that owns each shard; index 0 unused. */
    uint32_t shard_owners[LEDGER_TOTAL_CAPACITY];
};

extern HIDDEN struct process process;

/*
 * The word that `tally ctl` writes. In a child that has no ledger yet it is
 * still the parent's: harmless to read, for nothing is recorded there.
 */
extern HIDDEN const uint32_t *process_control;

/*
 * References of sites by the address of the call. Ordinary memory: a child
 * keeps it.
 */
extern HIDDEN struct site_table heap_sites;
extern HIDDEN struct site_table map_sites, space_sites;

/* Ids of sites that allocators of their own have opened: sites.h. */
extern HIDDEN struct site_table hook_sites;

/* By id: the full reference, or 0; NULL but with compressed references. */
extern HIDDEN uint32_t *site_places;

/* 16-bit references, which are ids. */
extern HIDDEN bool process_is_compressed;

/* Add to one of ledger_header.counts, when there is a ledger. */
void process_count(enum ledger_count which, uint64_t added);

/* Have all threads ask for their stacks anew. */
void process_drop_stacks(void);

struct recorder_thread {
    /*
     * One of process.short_ways. When its `base` is not NULL, the thread has a
     * shard of its own, which implies TALLY_LISTENER_ACCOUNT, libc's allocator
     * and full references.
     */
    struct short_way *way;
    void *newest;           /* the block that the thread was given last */
    uint16_t own_shard;     /* 0: none; it adds through its CPU's, or shard 0 */
    uint16_t new_caller[3]; /* of a nothrow new that is in the library, or 0:
                               48 bits, lowest first (calls/new_delete.c) */
    uint64_t label; /* recorder/stacks/labels.c: its word, or where that lies if
                       it is elsewhere; 0: not chosen yet */
};

extern HIDDEN _Thread_local struct recorder_thread recorder_thread;

/*
 * The thread's own way: what a compiler may ask for once in a function, since
 * nothing in there changes it.
 */
static inline __attribute__((const)) struct short_way *thread_way(void)
{
    return recorder_thread.way;
}

/* Where the shard of this thread begins; NULL: it has none. */
static inline char *thread_shard(void)
{
    return __atomic_load_n(&recorder_thread.way->base, __ATOMIC_RELAXED);
}

/* The same where a site is a caller alone; NULL where it is a whole stack. */
static inline char *thread_caller_shard(void)
{
    return __atomic_load_n(&recorder_thread.way->caller_base, __ATOMIC_RELAXED);
}

/* Of the shard that the thread owns. */
static inline struct ledger_total *thread_total(void)
{
    return process.short_ways[recorder_thread.own_shard].total;
}

/* More references may lie near by now than when the thread asked last. */
static inline void thread_follow_near(struct short_way *way)
{
    if (__atomic_load_n(&way->base, __ATOMIC_RELAXED) != NULL)
        __atomic_store_n(&way->near, ledger_space_near, __ATOMIC_RELAXED);
}
