/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_compact.h - the short way with 16-bit references
 *
 * A compressed reference is a site's id, for only that fits in 16 bits; where
 * the counters of a site lie is looked up in record_places, which has an entry
 * for every id whose counters are in the ledger's first window. The same
 * invariants as in record.h.
 */
#ifndef TALLY_LEDGER_RECORD_COMPACT_H
#define TALLY_LEDGER_RECORD_COMPACT_H

#include "ledger/record/record.h"

/* By id: the full reference, or 0. Set once, when the site is opened. */
extern HIDDEN uint32_t *record_places;

/* Before the first compressed reference; false: no memory. */
bool record_places_open(void);

/* As thread_shard(), with compressed references. */
static inline char *thread_compact_shard(void)
{
    return shadow.is_compressed
               ? __atomic_load_n(
                     &process.short_ways[recorder_thread.own_shard].base,
                     __ATOMIC_RELAXED)
               : NULL;
}

/*
 * Both words of a block as one: the id below, the size above. Written and read
 * in one piece, or the processor waits for the parts to be put together.
 */
static inline uint32_t compact_pair(const char *words)
{
    uint32_t pair;

    /* The recorder is compiled without built-in functions. */
    __builtin_memcpy(&pair, words, sizeof pair);
    return pair;
}

/*
 * The words of `block` when 16 bits stand for 16 bytes; false as in
 * shadow_words().
 */
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
    uint32_t place = record_places[id & REFERENCE_COMPRESSED_LIMIT];
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
        record_settle(block, (struct reference){ id, size });
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
    place = record_places[(uint16_t)pair];
    size = pair >> 16 & REFERENCE_COMPRESSED_ESCAPE;
    if (UNLIKELY(place == 0 || size == REFERENCE_COMPRESSED_ESCAPE))
        return false;
    __builtin_memcpy(words, &none, sizeof none);
    if (block == recorder_thread.newest)
        record_temporary_shared(record_counter(place, process.base));
    if (record_add_own(record_counter(place, base), thread_total(), SHARD_FREE,
                       size) == RECORD_DUE)
        record_settle_free((struct reference){ (uint16_t)pair, size });
    return true;
}

#endif /* TALLY_LEDGER_RECORD_COMPACT_H */
