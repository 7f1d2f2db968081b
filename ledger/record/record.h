/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - one allocation, from its entry point to its site
 *
 * The inline functions are the hot path: full references, recording on, a known
 * site with mapped counters. Everything else - the first call of a thread, a
 * new site, a forked child, compressed references, foreign blocks - is in
 * record.c.
 *
 * Invariants:
 *
 *   I1  a block is recorded after the real allocator has given it, and taken
 *       out before the real allocator gets it back: an address is never
 *       recorded twice at one time
 *   I2  a block's reference and its site's counters change together: the
 *       thread that clears the reference subtracts, the one that sets it adds.
 *       A reference already at a new block's place means a free that we did
 *       not see, and is subtracted first: whole, for no other has been written
 *       over it
 *
 * Nothing here allocates through libc, takes a lock or changes errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/accounts/site_table.h"
#include "core/base/plain_load.h"
#include "format/ledger/ledger_layout.h"
#include "format/ledger/patch_plan.h"
#include "format/ledger/reference.h"
#include "ledger/export.h"
#include "ledger/shards/heap_total.h"
#include "ledger/shards/shadow.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/process.h"
#include "tally/hook.h"

/*
 * Return true for a reference that the hot path takes as it is: full, of form
 * 0, with counters behind the header. heap_sites holds such references with
 * REFERENCE_BIT set, ready to be stored, and others without.
 */
static inline bool record_is_near(uint32_t word)
{
    return (word ^ REFERENCE_BIT) < ledger_space_near;
}

/* Return the counter in the shard that begins at `base`. */
static inline struct ledger_counter *record_counter(uint32_t word, char *base)
{
    /* The shift drops REFERENCE_BIT. */
    return (struct ledger_counter *)(void *)(base + (uint32_t)(word << 5));
}

/* the shard a thread adds to: its own, or that of its current CPU */
enum record_shard { RECORD_OWN, RECORD_CPU };

/* result of the hot path for one block */
enum record_result {
    RECORD_NOT, /* nothing was done: take the slow path */
    RECORD_DONE,
    RECORD_DUE, /* done, but the thread should call record_flush() */
};

/* Flush this thread's total: after an allocation, or after a free of a block
   with this reference, REFERENCE_BIT or not. The first returns `block`. */
void *record_flush(void *block, struct reference made);
void record_flush_free(struct reference freed);

static inline __attribute__((always_inline)) enum record_result
record_add_own(struct ledger_counter *counter, struct ledger_total *total,
               enum shard_side side, uint64_t size)
{
    shard_add_own(counter, side, size);
    return UNLIKELY(heap_total_add(total, side, size)) ? RECORD_DUE
                                                       : RECORD_DONE;
}

/* Add an allocation or a free to all counters of a shard. */
static inline __attribute__((always_inline)) enum record_result
record_add(struct ledger_counter *counter, enum record_shard whose,
           enum shard_side side, uint64_t size)
{
    if (whose == RECORD_OWN)
        return record_add_own(counter, thread_way()->total, side, size);
    if (UNLIKELY(!shard_add_cpu(counter, side, size)))
        shard_add_shared(counter, side, size);
    return heap_total_add_shared((struct ledger_header *)(void *)process.base,
                                 side, size)
               ? RECORD_DUE
               : RECORD_DONE;
}

/* Count a block of this size; count a temporary block. Any thread. */
void record_size_shared(size_t size);
void record_temporary_shared(struct ledger_counter *in_shard_0);

static inline __attribute__((always_inline)) void
record_size(size_t size, enum record_shard whose)
{
    uint64_t *sizes = thread_way()->sizes;

    if (whose == RECORD_OWN)
        shard_add_word((int64_t *)&sizes[ledger_size_class(size)], 1);
    else
        record_size_shared(size);
}

/* Count a temporary block: the thread frees its latest block. A later block at
   that address is a new one. */
static inline __attribute__((always_inline)) void
record_temporary(uint32_t word, enum record_shard whose)
{
    char *start = thread_way()->temporary;
    uint32_t offset = word << 5;
    uint32_t in_page = offset % LEDGER_PAGE;

    recorder_thread.newest = NULL;
    if (whose == RECORD_OWN)
        shard_add_word(
            (int64_t *)(void *)(start + (offset - in_page) + in_page / 4), 1);
    else
        record_temporary_shared(record_counter(word, process.base));
}

/* Return true if both words of the block are 0: no reference is in the way. */
static inline bool record_is_clear(const uint32_t *words)
{
    uint64_t both;

    __builtin_memcpy(&both, words, sizeof both);
    return both == 0;
}

/* Record a block. Calls nothing, so that no register needs saving. `base` is
   the start of the thread's own shard or, with RECORD_CPU, of shard 0. */
static inline __attribute__((always_inline)) enum record_result
record_alloc_near(void *block, size_t size, uint32_t word, char *base,
                  enum record_shard whose)
{
    uint32_t *words;

    if (UNLIKELY(size > REFERENCE_SIZE_LIMIT || !reference_is_there(word) ||
                 !shadow_words(block, &words)))
        return RECORD_NOT;
    if (UNLIKELY(!record_is_clear(words)))
        return RECORD_NOT;
    words[1] = (uint32_t)size;
    words[0] = word;
    recorder_thread.newest = block;
    record_size(size, whose);
    return record_add(record_counter(word, base), whose, SHARD_ALLOC, size);
}

/* Take out a block whose reference is below *near; the caller changes the
   counters (I2). */
static inline __attribute__((always_inline)) bool
record_take_near(void *block, const uint32_t *near, uint32_t *word,
                 uint32_t *size)
{
    uint32_t *words;

    if (UNLIKELY(!shadow_words(block, &words)))
        return false;
    *word = words[0];
    *size = words[1];
    if (UNLIKELY((*word ^ REFERENCE_BIT) >= PLAIN_LOAD(near)))
        return false;
    __builtin_memset(words, 0, 2 * sizeof *words);
    return true;
}

/* Take out a block and count its free. `freed` is for record_flush_free(). */
static inline __attribute__((always_inline)) enum record_result
record_free_near(void *block, const uint32_t *near, enum record_shard whose,
                 struct reference *freed)
{
    uint32_t word, size;

    if (!record_take_near(block, near, &word, &size))
        return RECORD_NOT;
    *freed = (struct reference){ word, size };
    if (block == recorder_thread.newest)
        record_temporary(word, whose);
    return record_add(record_counter(word, whose == RECORD_OWN
                                               ? thread_way()->base
                                               : process.base),
                      whose, SHARD_FREE, size);
}

static inline bool record_is_on(void)
{
    return PLAIN_LOAD(process_control) == LEDGER_CONTROL_ON;
}

/* First byte of a jump that `tally detach` removes; NULL: there is no jump. */
extern HIDDEN const uint8_t *record_jump;

/* Return true once the jump is gone. A thread that was in a call still records
   its block, but other threads' frees are no longer seen. */
static inline bool record_is_left(void)
{
    return record_jump != NULL &&
           __atomic_load_n(record_jump, __ATOMIC_RELAXED) != PATCH_JUMP_CODE;
}

/* Free a block of a thread with its own shard (others have no near references),
   once recording. */
static inline __attribute__((always_inline)) enum record_result
record_free_own(void *block, struct reference *freed)
{
    /* The allocator will want the block's header: let both misses overlap. */
    __builtin_prefetch((char *)block - 16);
    return record_free_near(block, &thread_way()->near, RECORD_OWN, freed);
}

/* Do the same if the process may not record: there may be no shadow yet. */
static inline __attribute__((always_inline)) enum record_result
record_free_fast(void *block, struct reference *freed)
{
    return LIKELY(thread_shard() != NULL) ? record_free_own(block, freed)
                                          : RECORD_NOT;
}

/* The fast path with 16-bit references. Each is a site's id; site_places has
   the place of every id whose counters are in the ledger's first window. */

/* Return thread_shard() with compressed references. */
static inline char *thread_compact_shard(void)
{
    return shadow.is_compressed
               ? __atomic_load_n(
                     &process.short_ways[recorder_thread.own_shard].base,
                     __ATOMIC_RELAXED)
               : NULL;
}

/* Read both words of a block as one: the id below, the size above. They are
   written and read as one, or the processor waits to combine the parts. */
static inline uint32_t compact_pair(const char *words)
{
    uint32_t pair;

    /* The recorder is compiled without built-in functions. */
    __builtin_memcpy(&pair, words, sizeof pair);
    return pair;
}

/* Find the words of `block` when 16 bits stand for 16 bytes; false as in
   shadow_words(). */
static inline bool compact_words_at(const void *block, char **words)
{
    uintptr_t granule;
    char *leaf;

    if (UNLIKELY(!shadow_granule(block, &granule, &leaf)))
        return false;
    *words = leaf + granule * sizeof(uint16_t);
    return true;
}

static inline __attribute__((always_inline)) bool
record_alloc_compact(void *block, size_t size, uint32_t id, char *base)
{
    uint32_t place = site_places[id & REFERENCE_COMPRESSED_LIMIT];
    uint32_t pair = ((uint32_t)size | REFERENCE_COMPRESSED_SIZE) << 16 | id;
    char *words;

    if (UNLIKELY(size >= REFERENCE_COMPRESSED_ESCAPE || place == 0 ||
                 !compact_words_at(block, &words) || compact_pair(words) != 0))
        return false;
    __builtin_memcpy(words, &pair, sizeof pair);
    recorder_thread.newest = block;
    record_size_shared(size);
    if (record_add_own(record_counter(place, base), thread_total(), SHARD_ALLOC,
                       size) == RECORD_DUE)
        record_flush(block, (struct reference){ id, size });
    return true;
}

static inline __attribute__((always_inline)) bool
record_free_compact(void *block, char *base)
{
    static const uint32_t none;
    uint32_t pair, place, size;
    char *words;

    if (UNLIKELY(!compact_words_at(block, &words)))
        return false;
    pair = compact_pair(words);
    place = site_places[(uint16_t)pair];
    size = pair >> 16 & REFERENCE_COMPRESSED_ESCAPE;
    if (UNLIKELY(place == 0 || size == REFERENCE_COMPRESSED_ESCAPE))
        return false;
    __builtin_memcpy(words, &none, sizeof none);
    if (block == recorder_thread.newest)
        record_temporary_shared(record_counter(place, process.base));
    if (record_add_own(record_counter(place, base), thread_total(), SHARD_FREE,
                       size) == RECORD_DUE)
        record_flush_free((struct reference){ (uint16_t)pair, size });
    return true;
}

/* Take the slow path. Return `block`, so that entry points can end in a
   jump. */
void *record_alloc_slow(void *block, size_t size, uintptr_t caller);
void *record_alloc_word_slow(void *block, size_t size, uint32_t word);
void record_free_slow(void *block);

/* Record a block at a site whose word is known: record_word_of(). */
static inline __attribute__((always_inline)) void *
record_alloc_word(void *block, size_t size, uint32_t word)
{
    char *base = thread_shard();
    enum record_result result = RECORD_NOT;

    if (LIKELY(base != NULL)) {
        if (UNLIKELY(!record_is_on()))
            return block;
        result = record_alloc_near(block, size, word, base, RECORD_OWN);
    }
    if (LIKELY(result == RECORD_DONE))
        return block;
    return result == RECORD_DUE
               ? record_flush(block, (struct reference){ word, size })
               : record_alloc_word_slow(block, size, word);
}

/*
 * Take the block out before the real realloc, and settle it afterwards: a
 * realloc is one free and one allocation, unless it fails. It makes no block
 * temporary.
 */
struct reference record_take(void *block);

/* Count that an old block has grown to `size` bytes. */
void record_grown(struct reference old, size_t size);

/* Settle the old block. Return true if there is a new one to record. */
bool record_resized(void *block, struct reference old, void *moved,
                    size_t size);
void record_resized_word(void *block, struct reference old, void *moved,
                         size_t size, uint32_t word); /* 0: not recorded */

/* Return the word of site `id` for the fast functions: its reference, with
   REFERENCE_BIT if it is near; compressed, the id; or 0. */
uint32_t record_word_of(uint32_t id);

/* Return the reference of a site, opened if it is new; 0: there is no room. */
uint32_t record_site(struct site_table *table, enum ledger_site_kind kind,
                     uintptr_t caller);

/* Return true if this thread is recorded; its first call decides for good. */
bool record_is_listening(void);

/* Return true if the process has its own ledger; a forked child opens it
   now. */
static inline bool record_has_ledger(void)
{
    return process.header != NULL ||
           (record_is_listening() && process.header != NULL);
}

/* Count one block more or less, whose reference is kept elsewhere. */
void record_block(uint32_t reference, enum shard_side side, uint64_t size);

/* Take a block out, if it was recorded, and count its free. */
void record_drop(void *block);

/* Count a request that the allocator refused. */
void record_failure(void);
