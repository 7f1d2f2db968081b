/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - one allocation, from its entry point to its account
 *
 * The inline functions are the hot path: full references, profiling on, the
 * place known, its counters mapped. Everything else - the first call of a
 * thread, a new place, a forked child, compressed references, foreign blocks -
 * is in record.c.
 *
 * Invariants:
 *
 *   I1  a block is recorded after the real allocator has given it, and taken
 *       out before the real allocator gets it back: an address is never
 *       recorded twice at one time
 *   I2  a block's reference and its account change together: who clears the
 *       reference subtracts, who sets it adds. A reference met when setting is
 *       a free we did not see, and is subtracted first
 *   I3  nothing here allocates through libc, takes a lock or changes errno
 */
#ifndef TALLY_RECORDER_RECORD_H
#define TALLY_RECORDER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/reference.h"
#include "core/site_table.h"
#include "format/ledger_layout.h"
#include "recorder/export.h"
#include "recorder/process.h"
#include "recorder/shadow.h"
#include "recorder/shard_add.h"
#include "recorder/thread.h"
#include "tally/hook.h"

/*
 * The fast path counted the block; or it did nothing, and the slow path must be
 * taken.
 */
static inline __attribute__((always_inline)) bool
record_alloc_fast(void *block, size_t size, uintptr_t caller)
{
    size_t own = recorder_thread.own_shard_offset;
    uint64_t *pair;
    struct ledger_counter *counter;
    uint32_t id;

    if (UNLIKELY(own == 0 || *process_control != LEDGER_CONTROL_ON ||
                 block == NULL || size >= REFERENCE_SIZE_BIT - 1))
        return false;
    id = site_table_find(&heap_sites, caller);
    counter = account_counter(&process->book, id);
    pair = shadow_pair(block);
    /* A reference that is there already is a free that we did not see. */
    if (UNLIKELY(id == 0 || counter == NULL || pair == NULL ||
                 (int32_t)(uint32_t)*pair > 0))
        return false;
    *pair = reference_pair(id, size);
    shard_add_own((struct ledger_counter *)(void *)((char *)counter + own),
                  SHARD_ALLOC, size);
    return true;
}

static inline __attribute__((always_inline)) bool record_free_fast(void *block)
{
    size_t own = recorder_thread.own_shard_offset;
    uint64_t *words;
    uint64_t pair;
    struct ledger_counter *counter;

    if (UNLIKELY(own == 0))
        return false;
    words = shadow_pair(block);
    if (UNLIKELY(words == NULL))
        return false;
    pair = *words;
    if (UNLIKELY(!reference_pair_is_plain(pair)))
        return false;
    counter = account_counter(&process->book, (uint32_t)pair);
    if (UNLIKELY(counter == NULL))
        return false;
    reference_clear((uint32_t *)(void *)words);
    shard_add_own((struct ledger_counter *)(void *)((char *)counter + own),
                  SHARD_FREE, pair >> 32 & ~REFERENCE_SIZE_BIT);
    return true;
}

/* Returns `block`, so that entry points can end in a jump. */
void *record_alloc_slow(void *block, size_t size, uintptr_t caller);
void record_free_slow(void *block);

static inline __attribute__((always_inline)) void *
record_alloc(void *block, size_t size, uintptr_t caller)
{
    if (LIKELY(record_alloc_fast(block, size, caller)))
        return block;
    return record_alloc_slow(block, size, caller);
}

/*
 * A realloc is one free and one allocation, unless it fails. Take the block out
 * before the real realloc, and settle what became of it afterwards.
 */
struct reference record_take(void *block);
void record_resized(void *block, struct reference old, void *moved, size_t size,
                    uintptr_t caller);

/* A request of the program that the allocator refused. */
void record_failure(void);

#endif /* TALLY_RECORDER_RECORD_H */
