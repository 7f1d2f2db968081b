/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - what a thread keeps: 24 bytes of static TLS, no destructor
 *
 * With tally_listeners (tally/hook.h) this is all the recorder adds to a
 * thread. It is initial-exec: reading it never allocates.
 */
#ifndef TALLY_LEDGER_THREAD_H
#define TALLY_LEDGER_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "ledger/export.h"
#include "ledger/record/process.h"
#include "ledger/space/ledger_space.h"
#include "tally/hook.h"

struct recorder_thread {
    /*
     * One of process.short_ways. When its `base` is not NULL, the thread has a shard
     * of its own, which implies TALLY_LISTENER_ACCOUNT, libc's
     * allocator and full references.
     */
    struct short_way *way;
    void *newest;       /* the block that the thread was given last */
    uint32_t own_shard; /* 0: none; it adds through its CPU's, or shard 0 */
    uint32_t in_maps;   /* inside map_accounts.c */
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

/* Off the short ways, until it is settled again. */
void thread_unsettle(void);

/* The thread's first allocation: what it listens to from now on. */
void thread_settle(void);

/*
 * While a vfork or CLONE_VM child runs on this thread's TLS, the kernel does
 * not keep its rseq area: what would go to a CPU's shard goes to shard 0.
 */
void thread_share(void);
void thread_unshare(void);

#endif /* TALLY_LEDGER_THREAD_H */
