/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - which shard a thread adds to
 *
 * A thread takes a shard without an owner, or one whose owner no longer exists:
 * the kernel tells, so no destructor is needed when a thread ends. When all are
 * taken, the thread adds to its CPU's shard (shard_add.h); without rseq it
 * shares shard 0.
 */
#define _GNU_SOURCE
#include "ledger/record/thread.h"

#include "ledger/record/peak_notes.h"
#include "ledger/record/process.h"
#include "ledger/shards/shadow.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/ledger_writer.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"

_Thread_local struct recorder_thread recorder_thread = {
    .way = &process.short_ways[0],
};

static bool is_alive(uint32_t thread)
{
    /* Not tgkill: a CLONE_VM task may have another process number. */
    return raw_call(SYS_tkill, (long)thread, 0, 0, 0, 0, 0) != -3;
}

static bool take_shard(uint32_t shard, uint32_t held, uint32_t self)
{
    if (!__atomic_compare_exchange_n(&process.shard_owners[shard], &held, self,
                                     false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    recorder_thread.own_shard = shard;
    return true;
}

static void find_shard(void)
{
    uint32_t self = (uint32_t)raw_gettid();

    for (uint32_t shard = 1; shard <= SHARD_THREADS; shard++) {
        uint32_t held =
            __atomic_load_n(&process.shard_owners[shard], __ATOMIC_ACQUIRE);

        /* Our own number in the table is a thread that ended before us. */
        if ((held == 0 || held == self) && take_shard(shard, held, self))
            return;
    }
    for (uint32_t shard = 1; shard <= SHARD_THREADS; shard++) {
        uint32_t held =
            __atomic_load_n(&process.shard_owners[shard], __ATOMIC_ACQUIRE);

        if (!is_alive(held) && take_shard(shard, held, self))
            return;
    }
}

void thread_unsettle(void)
{
    recorder_thread.way = &process.short_ways[0];
    recorder_thread.own_shard = 0;
}

/* Done before any thread may use the entry. */
static void open_way(struct short_way *way, struct ledger_total *total)
{
    static uint64_t nowhere[LEDGER_SIZE_CLASSES];
    const struct ledger_counter *start = (const void *)process.base;
    uint32_t shard = recorder_thread.own_shard;
    uint64_t *sizes = ledger_sizes_at(shard);

    way->total = total;
    way->temporary = (char *)ledger_space_temporary(start, shard);
    way->sizes = sizes != NULL ? sizes : nowhere;
}

/* The entry is set before the thread points at it. */
static void take_short_way(uint32_t shard)
{
    struct short_way *way = &process.short_ways[shard];
    char *base = process.base + ((size_t)shard << ACCOUNT_SHARD_SHIFT);

    __atomic_store_n(&way->base, base, __ATOMIC_RELEASE);
    __atomic_store_n(&way->caller_base, process_has_stacks() ? NULL : base,
                     __ATOMIC_RELEASE);
    thread_follow_near(way);
    if (!shadow.is_compressed)
        recorder_thread.way = way;
}

void thread_settle(void)
{
    struct ledger_total *total = NULL;

    thread_unsettle();
    if (!process_attach()) {
        tally_listeners = 0;
        return;
    }
    /* Samples go to shard 0, and nothing else is kept of the heap. */
    if (!sandbox_is_closed() && process.is_sampled == 0)
        find_shard();
    if (recorder_thread.own_shard != 0) {
        total = &process.header->totals[recorder_thread.own_shard];
        __atomic_store_n(&total->is_used, 1, __ATOMIC_RELAXED);
        open_way(&process.short_ways[recorder_thread.own_shard], total);
    }
    peak_notes_share(total);
    tally_listeners = TALLY_LISTENER_ACCOUNT;
    if (recorder_thread.own_shard != 0 && shadow_is_of_libc())
        take_short_way(recorder_thread.own_shard);
}

void thread_share(void)
{
    if (tally_listeners == TALLY_LISTENER_ACCOUNT)
        tally_listeners = TALLY_LISTENER_ACCOUNT | TALLY_LISTENER_SHARED;
}

void thread_unshare(void)
{
    tally_listeners &= ~(uint32_t)TALLY_LISTENER_SHARED;
}
