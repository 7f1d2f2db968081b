/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - this process's link to its ledger, which a fork cuts by itself
 *
 * The link lies in pages that the kernel zeroes in a forked child
 * (MADV_WIPEONFORK). However the child was made - fork, _Fork, a raw clone - it
 * finds no ledger, and its first allocation opens one. A child that shares our
 * memory (vfork, CLONE_VM) finds the link intact and is recorded here, which is
 * right: it changes our heap.
 *
 * Each thread has 40 bytes of static TLS without a destructor. They are
 * initial-exec: reading them never allocates. The recorder adds only these and
 * tally_listeners (tally/hook.h) to a thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/accounts/site_table.h"
#include "format/ledger/counts_layout.h"
#include "format/ledger/segments_layout.h"
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

/* state of copies and deltas; see peak.h */
struct peak_state {
    const void *copier;   /* recorder_thread of the copying thread, or NULL */
    const void *given_up; /* copying thread that others no longer wait for */
    int64_t held;         /* live bytes at the last copy */
    int64_t passed;       /* copies of fewer bytes are no longer wanted */
    int64_t top;          /* most bytes seen since */
    uint32_t watched;     /* checks since then, by any thread */
    /* total of the first thread that allocated */
    const struct ledger_total *only;
    struct ledger_total *delta_total; /* total whose deltas are kept, or NULL */
    uint32_t is_shared;               /* another thread has allocated */
    int64_t delta_count;              /* deltas since the peak */
    int64_t delta_limit;              /* 0: deltas are not kept */
    int64_t top_room; /* less room than this is above the peak */
    uint32_t passes;  /* allocations above the peak without a free since */
};

/* the data a thread with its own shard needs for one allocation */
struct fast_path {
    /* The shard's counters; caller_base is NULL if sites are stacks. */
    char *caller_base;
    char *base;
    uint32_t near; /* ledger_space_near; 0 if base is NULL */
    /* its cache of stacks; NULL: ask for it (recorder/stacks/stacks.c) */
    struct stack_cache *stacks;
    struct ledger_total *total;
    /* ledger_space_temporary() of a counter at the ledger's start */
    char *temporary;
    uint64_t *sizes; /* indexed by ledger_size_class() */
};

struct recorder_thread;

struct __attribute__((aligned(LEDGER_PAGE))) process {
    struct ledger_header *header; /* NULL: no ledger (yet) */
    /* The header's address once the ledger is open: the counter that a
       reference names lies 32 times the reference behind it. */
    char *base;
    /* indexed by shard; all of index 0 is NULL */
    struct fast_path fast_paths[LEDGER_TOTAL_CAPACITY];
    /* Each call reads the following words, which share a cache line. */
    /* enum mode: what an entry point does (recorder/calls/mode.h) */
    uint32_t mode;
    /* how far the mode's malloc lies from malloc_anew(): entry_points.c */
    uintptr_t malloc_distance;
    struct countdown_words counting;
    uint32_t observers; /* observers that see each call (recorder/observer.h) */
    uint32_t is_idle;   /* no block is ever recorded here */
    uint32_t is_sampled; /* only samples of the heap are accounted for */
    uint32_t frees_pass; /* of blocks without a sample: samples.c */
    uint32_t trace_lock; /* lock of tally/mem_trace.h */
    uint32_t claim;      /* enum process_claim */
    const struct recorder_thread *in_maps; /* holder of map_accounts.c's lock */
    struct peak_state peak;
    /* Owner of each shard, by thread id; index 0 is unused. */
    uint32_t shard_owners[LEDGER_TOTAL_CAPACITY];
};

extern HIDDEN struct process process;

/* The word that `tally ctl` writes. A child without a ledger still reads its
   parent's, which is harmless: nothing is recorded there. */
extern HIDDEN const uint32_t *process_control;

/* References of sites by the address of the call. Ordinary memory: a child
   keeps it. */
extern HIDDEN struct site_table heap_sites;
extern HIDDEN struct site_table map_sites, space_sites;

/* Ids of sites that other allocators opened: sites.h. */
extern HIDDEN struct site_table hook_sites;

/* Full reference by id, or 0. NULL unless references are compressed. */
extern HIDDEN uint32_t *site_places;

/* 16-bit references, which are ids */
extern HIDDEN bool process_is_compressed;

/* Add to one of ledger_header.counts, if there is a ledger. */
void process_count(enum ledger_count which, uint64_t added);

/* Set vm.mem_profiling; there must be a ledger. */
void process_set_control(uint32_t control);

/* Make each thread ask for its stack cache again. */
void process_drop_stacks(void);

struct recorder_thread {
    /*
     * One of process.fast_paths. If its `base` is not NULL, the thread has its
     * own shard, which implies TALLY_LISTENER_ACCOUNT, libc's allocator and
     * full references.
     */
    struct fast_path *fast_path;
    void *newest;           /* the thread's latest block */
    uint16_t own_shard;     /* 0: none; it adds to its CPU's shard or shard 0 */
    uint16_t new_caller[3]; /* of a nothrow new that is in the library, or 0:
                               48 bits, lowest first (calls/new_delete.c) */
    uint64_t label; /* recorder/stacks/labels.c: its word, or where that lies if
                       it is elsewhere; 0: not chosen yet */
};

extern HIDDEN _Thread_local struct recorder_thread recorder_thread;

/* Return the thread's own entry. Const, as nothing in a function changes it. */
static inline __attribute__((const)) struct fast_path *thread_fast_path(void)
{
    return recorder_thread.fast_path;
}

/* Return the start of this thread's shard, or NULL if it has none. */
static inline char *thread_shard(void)
{
    return __atomic_load_n(&recorder_thread.fast_path->base, __ATOMIC_RELAXED);
}

/* Return the same if sites are callers, or NULL if they are stacks. */
static inline char *thread_caller_shard(void)
{
    return __atomic_load_n(&recorder_thread.fast_path->caller_base,
                           __ATOMIC_RELAXED);
}

static inline struct ledger_total *thread_total(void)
{
    return process.fast_paths[recorder_thread.own_shard].total;
}

/* Refresh the limit of near references, which may have grown. */
static inline void thread_follow_near(struct fast_path *path)
{
    if (__atomic_load_n(&path->base, __ATOMIC_RELAXED) != NULL)
        __atomic_store_n(&path->near, ledger_space_near, __ATOMIC_RELAXED);
}
