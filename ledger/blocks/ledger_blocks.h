/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_blocks.h - one allocation, from its entry point to its site
 *
 * The inline functions are the hot path: full references, recording on, a known
 * site with mapped counters. Everything else - the first call of a thread, a
 * new site, a forked child, compressed references, foreign blocks - is in
 * ledger_blocks.c.
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
static inline bool ledger_is_near(uint32_t word)
{
    return (word ^ REFERENCE_BIT) < ledger_space_near;
}

/* Return the counter in the shard that begins at `base`. */
static inline struct ledger_counter *ledger_counter_near(uint32_t word,
                                                         char *base)
{
    /* The shift drops REFERENCE_BIT. */
    return (struct ledger_counter *)(void *)(base + (uint32_t)(word << 5));
}

/* the shard a thread adds to: its own, or that of its current CPU */
enum ledger_shard { LEDGER_OWN_SHARD, LEDGER_CPU_SHARD };

/* result of the hot path for one block */
enum ledger_result {
    LEDGER_SLOW_PATH, /* nothing was done: take the slow path */
    LEDGER_DONE,
    LEDGER_FLUSH, /* done, but the thread should call ledger_flush() */
};

/* Flush this thread's total: after an allocation, or after a free of a block
   with this reference, REFERENCE_BIT or not. The first returns `block`. */
void *ledger_flush(void *block, struct reference made);
void ledger_flush_free(struct reference freed);

static inline __attribute__((always_inline)) enum ledger_result
ledger_add_own(struct ledger_counter *counter, struct ledger_total *total,
               enum shard_side side, uint64_t size)
{
    shard_add_own(counter, side, size);
    return UNLIKELY(heap_total_add(total, side, size)) ? LEDGER_FLUSH
                                                       : LEDGER_DONE;
}

/* Add an allocation or a free to all counters of a shard. */
static inline __attribute__((always_inline)) enum ledger_result
ledger_add(struct ledger_counter *counter, enum ledger_shard whose,
           enum shard_side side, uint64_t size)
{
    if (whose == LEDGER_OWN_SHARD)
        return ledger_add_own(counter, thread_fast_path()->total, side, size);
    if (UNLIKELY(!shard_add_cpu(counter, side, size)))
        shard_add_shared(counter, side, size);
    return heap_total_add_shared((struct ledger_header *)(void *)process.base,
                                 side, size)
               ? LEDGER_FLUSH
               : LEDGER_DONE;
}

/* Count a block of this size; count a temporary block. Any thread. */
void ledger_count_size_shared(size_t size);
void ledger_count_temporary_shared(struct ledger_counter *in_shard_0);

static inline __attribute__((always_inline)) void
ledger_count_size(size_t size, enum ledger_shard whose)
{
    uint64_t *sizes = thread_fast_path()->sizes;

    if (whose == LEDGER_OWN_SHARD)
        shard_add_word((int64_t *)&sizes[ledger_size_class(size)], 1);
    else
        ledger_count_size_shared(size);
}

/* Count a temporary block: the thread frees its latest block. A later block at
   that address is a new one. */
static inline __attribute__((always_inline)) void
ledger_count_temporary(uint32_t word, enum ledger_shard whose)
{
    char *start = thread_fast_path()->temporary;
    uint32_t offset = word << 5;
    uint32_t in_page = offset % LEDGER_PAGE;

    recorder_thread.newest = NULL;
    if (whose == LEDGER_OWN_SHARD)
        shard_add_word(
            (int64_t *)(void *)(start + (offset - in_page) + in_page / 4), 1);
    else
        ledger_count_temporary_shared(ledger_counter_near(word, process.base));
}

/* Record a block. Calls nothing, so that no register needs saving. `base` is
   the start of the thread's own shard or, with LEDGER_CPU_SHARD, of shard 0. */
static inline __attribute__((always_inline)) enum ledger_result
ledger_alloc_near(void *block, size_t size, uint32_t word, char *base,
                  enum ledger_shard whose)
{
    uint32_t *words;
    uint64_t both;

    if (UNLIKELY(size > REFERENCE_SIZE_LIMIT || !reference_is_there(word) ||
                 !shadow_words(block, &words)))
        return LEDGER_SLOW_PATH;
    __builtin_memcpy(&both, words, sizeof both);
    if (UNLIKELY(both != 0)) /* a reference is there already */
        return LEDGER_SLOW_PATH;
    words[1] = (uint32_t)size;
    words[0] = word;
    recorder_thread.newest = block;
    ledger_count_size(size, whose);
    return ledger_add(ledger_counter_near(word, base), whose, SHARD_ALLOC,
                      size);
}

/* Take out a block whose reference is below *near; the caller changes the
   counters (I2). */
static inline __attribute__((always_inline)) bool
ledger_take_near(void *block, const uint32_t *near, uint32_t *word,
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

/* Take out a block and count its free. `freed` is for ledger_flush_free(). */
static inline __attribute__((always_inline)) enum ledger_result
ledger_free_near(void *block, const uint32_t *near, enum ledger_shard whose,
                 struct reference *freed)
{
    uint32_t word, size;

    if (!ledger_take_near(block, near, &word, &size))
        return LEDGER_SLOW_PATH;
    *freed = (struct reference){ word, size };
    if (block == recorder_thread.newest)
        ledger_count_temporary(word, whose);
    return ledger_add(ledger_counter_near(word, whose == LEDGER_OWN_SHARD
                                                    ? thread_fast_path()->base
                                                    : process.base),
                      whose, SHARD_FREE, size);
}

static inline bool ledger_is_on(void)
{
    return PLAIN_LOAD(process_control) == LEDGER_CONTROL_ON;
}

/* First byte of a jump that `tally detach` removes; NULL: there is no jump. */
extern HIDDEN const uint8_t *ledger_jump;

/* Return true once the jump is gone. A thread that was in a call still records
   its block, but other threads' frees are no longer seen. */
static inline bool ledger_is_detached(void)
{
    return ledger_jump != NULL &&
           __atomic_load_n(ledger_jump, __ATOMIC_RELAXED) != PATCH_JUMP_CODE;
}

/* Take out a block, in a thread with its own shard: no reference is near for
   other threads. Only once the process records. */
static inline __attribute__((always_inline)) enum ledger_result
ledger_free_own(void *block, struct reference *freed)
{
    /* The allocator will want the block's header: let both misses overlap. */
    __builtin_prefetch((char *)block - 16);
    return ledger_free_near(block, &thread_fast_path()->near, LEDGER_OWN_SHARD,
                            freed);
}

/* Like ledger_free_own(), but for any thread, even if the process does not
   record: there may be no shadow yet. */
static inline __attribute__((always_inline)) enum ledger_result
ledger_free_fast(void *block, struct reference *freed)
{
    return LIKELY(thread_shard() != NULL) ? ledger_free_own(block, freed)
                                          : LEDGER_SLOW_PATH;
}

/* The fast path with 16-bit references. Each is a site's id; site_places has
   the place of every id whose counters are in the ledger's first window. */

/* Return thread_shard() with compressed references. */
static inline char *thread_compact_shard(void)
{
    return shadow.is_compressed
               ? __atomic_load_n(
                     &process.fast_paths[recorder_thread.own_shard].base,
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
ledger_alloc_compact(void *block, size_t size, uint32_t id, char *base)
{
    uint32_t place = site_places[id & REFERENCE_COMPRESSED_LIMIT];
    uint32_t pair = ((uint32_t)size | REFERENCE_COMPRESSED_SIZE) << 16 | id;
    char *words;

    if (UNLIKELY(size >= REFERENCE_COMPRESSED_ESCAPE || place == 0 ||
                 !compact_words_at(block, &words) || compact_pair(words) != 0))
        return false;
    __builtin_memcpy(words, &pair, sizeof pair);
    recorder_thread.newest = block;
    ledger_count_size_shared(size);
    if (ledger_add_own(ledger_counter_near(place, base), thread_total(),
                       SHARD_ALLOC, size) == LEDGER_FLUSH)
        ledger_flush(block, (struct reference){ id, size });
    return true;
}

static inline __attribute__((always_inline)) bool
ledger_free_compact(void *block, char *base)
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
        ledger_count_temporary_shared(ledger_counter_near(place, process.base));
    if (ledger_add_own(ledger_counter_near(place, base), thread_total(),
                       SHARD_FREE, size) == LEDGER_FLUSH)
        ledger_flush_free((struct reference){ (uint16_t)pair, size });
    return true;
}

/* Take the slow path. Return `block`, so that entry points can end in a
   jump. */
void *ledger_alloc_slow(void *block, size_t size, uintptr_t caller);
void *ledger_alloc_word_slow(void *block, size_t size, uint32_t word);
void ledger_free_slow(void *block);

/* Record a block at a site whose word is known: ledger_word_of(). */
static inline __attribute__((always_inline)) void *
ledger_alloc_word(void *block, size_t size, uint32_t word)
{
    char *base = thread_shard();
    enum ledger_result result = LEDGER_SLOW_PATH;

    if (LIKELY(base != NULL)) {
        if (UNLIKELY(!ledger_is_on()))
            return block;
        result = ledger_alloc_near(block, size, word, base, LEDGER_OWN_SHARD);
    }
    if (LIKELY(result == LEDGER_DONE))
        return block;
    return result == LEDGER_FLUSH
               ? ledger_flush(block, (struct reference){ word, size })
               : ledger_alloc_word_slow(block, size, word);
}

/*
 * Take the block out before the real realloc, and settle it afterwards: a
 * realloc is one free and one allocation, unless it fails. It makes no block
 * temporary.
 */
struct reference ledger_take(void *block);

/* Settle the old block. Return true if there is a new one to record. */
bool ledger_resized(void *block, struct reference old, void *moved,
                    size_t size);
void ledger_resized_word(void *block, struct reference old, void *moved,
                         size_t size, uint32_t word); /* 0: not recorded */

/* Return the word of site `id` for the fast functions: its reference, with
   REFERENCE_BIT if it is near; compressed, the id; or 0. */
uint32_t ledger_word_of(uint32_t id);

/* Return the reference of a site, opened if it is new; 0: there is no space. */
uint32_t ledger_site_reference(struct site_table *table,
                               enum ledger_site_kind kind, uintptr_t caller);

/* Return true if this thread is recorded; its first call decides for good. */
bool ledger_is_listening(void);

/* Return true if the process has its own ledger; a forked child opens it
   now. */
static inline bool process_has_ledger(void)
{
    return process.header != NULL ||
           (ledger_is_listening() && process.header != NULL);
}

/* Count one block more or less, whose reference is kept elsewhere. */
void ledger_add_block(uint32_t reference, enum shard_side side, uint64_t size);

/* Take a block out, if it was recorded, and count its free. */
void ledger_drop(void *block);

void ledger_count_failure(void);
