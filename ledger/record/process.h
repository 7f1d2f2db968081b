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
 * Invariants:
 *
 *   I1  `header` is set last when a ledger is opened, and never cleared
 *   I2  one thread opens the ledger, with all signals blocked; others wait for
 *       it; nothing waits for itself
 *   I3  the pages are such before a thread claims the opening, so a child that
 *       is forked meanwhile finds no claim. It does find what is half done in
 *       ordinary memory, and is not recorded
 */
#ifndef TALLY_LEDGER_PROCESS_H
#define TALLY_LEDGER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/accounts/site_table.h"
#include "format/ledger/ledger_layout.h"
#include "ledger/export.h"
#include "ledger/shards/shard_add.h"
#include "sampling/countdown/countdown_words.h"

enum process_claim {
    PROCESS_UNCLAIMED = 0,
    PROCESS_OPENING,
    PROCESS_REFUSED, /* not recorded, for good */
    PROCESS_OPEN,
};

struct stack_cache;

/* peak_accounts.h */
struct peak_state {
    const void *copier;   /* its recorder_thread; NULL: no thread copies */
    const void *given_up; /* the thread that others no longer wait for */
    int64_t held;         /* what was live at the last copy */
    int64_t passed;       /* accounts of less are no longer wanted */
    int64_t top;          /* the most that was seen since */
    uint32_t watched;     /* looks, by any thread, since then */
    /* peak_notes.h */
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
    /* Where the shard's counters begin; caller_base: NULL where a site is a stack. */
    char *caller_base;
    char *base;
    uint32_t near; /* ledger_space_near; 0: base is NULL */
    /* Its stacks; NULL when they are to be asked for: recorder/stacks/stacks.c. */
    struct stack_cache *stacks;
    struct ledger_total *total;
    /* ledger_space_temporary(), as if there were a counter at the ledger's start. */
    char *temporary;
    uint64_t *sizes; /* by ledger_size_class() */
};

struct __attribute__((aligned(LEDGER_PAGE))) process {
    struct ledger_header *header; /* NULL: no ledger (yet) */
    /*
     * The same address once the ledger is open, as the hot path wants it: the
     * counter that a reference names lies 32 times the reference behind it.
     */
    char *base;
    /* Of the thread that owns a shard; of index 0 all is NULL. */
    struct short_way short_ways[SHARD_FIRST_CPU];
    uint32_t
        mode; /* what entry points do; the recorder's: recorder/calls/mode.h */
    uint32_t
        observers;    /* ... which of recorder/calls/observer.h see each call */
    uint32_t is_idle; /* no block is recorded here, for good */
    uint32_t is_sampled; /* accounts of the heap are made of samples alone */
    uint32_t trace_lock; /* of tally/mem_trace.h */
    uint32_t claim;      /* enum process_claim */
    uint32_t map_lock;   /* map_accounts.c */
    struct peak_state peak;
    struct countdown_words counting;
    /* The thread that owns each shard; index 0 unused. */
    uint32_t shard_owners[SHARD_FIRST_CPU];
};

extern HIDDEN struct process process;

/*
 * The word that `tally ctl` writes. In a child that has no ledger yet it is
 * still the parent's: harmless to read, for nothing is recorded there.
 */
extern HIDDEN const uint32_t *process_control;

/* References of sites by the address of the call. Ordinary memory: a child keeps it. */
extern HIDDEN struct site_table heap_sites;
extern HIDDEN struct site_table map_sites;

/* Ids of sites that allocators of their own have opened: sites.h. */
extern HIDDEN struct site_table hook_sites;

/*
 * Make sure that this process has its ledger. False when it is not recorded:
 * the session said so, or it could not be opened.
 */
bool process_attach(void);

/*
 * The reason why it has none is gone: the next process_attach() tries anew. A
 * thread that has asked before must thread_unsettle() to be seen.
 */
void process_retry(void);

/*
 * Ask the loader what process_attach() will need, ahead of it: any number of
 * threads at once, with no lock held.
 */
void process_prepare(void);

/* Whether it has a ledger, or is a forked child that would get one. */
bool process_is_recorded(void);

/* Whether it is a forked child of one that has none, and has not been asked yet. */
bool process_is_new_but_refused(void);

/* Whether this process is recorded with 16-bit references. */
bool process_is_compressed(void);

/* Whether a site of the heap is a whole stack there. */
bool process_has_stacks(void);

/* Add to one of ledger_header.counts, when there is a ledger. */
void process_count(enum ledger_count which, uint64_t added);

/* Have all threads ask for their stacks anew. */
void process_drop_stacks(void);

/* After mlockall. */
void process_unlock(void);

#endif /* TALLY_LEDGER_PROCESS_H */
