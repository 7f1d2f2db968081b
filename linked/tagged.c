/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tagged.c - tally/tagged.h on hosts: libc's malloc, and the ledger
 *
 * A tag's `word` stands for its site in ledger_blocks.h, once this library
 * keeps that site. A tag without one takes the slow path, which opens the site.
 * If the recorder keeps it, the word stays 0 and every allocation goes there.
 */
#include "tally/tagged.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/accounts/mem_profiling.h"
#include "core/observers/tell.h"
#include "core/tags/alloc_tag.h"
#include "ledger/blocks/ledger_blocks.h"
#include "linked/engine.h"

/* no tag, no site, or recording is off: the block is not recorded */
enum { NO_SITE = 0 };

/* Return the word of the tag, opened if need be. Only near words are kept. */
static uint32_t own_word(struct alloc_tag *tag)
{
    uint32_t word = __atomic_load_n(&tag->word, __ATOMIC_ACQUIRE);
    uint32_t site;

    if (word != 0)
        return word;
    site = alloc_tag_site(tag);
    word = site == 0 ? 0 : ledger_word_of(site);
    /* A size left by a free that we missed could look like its word. */
    if (process_is_compressed && word >= REFERENCE_COMPRESSED_SIZE)
        alloc_tag_lose(tag);
    if (ledger_is_near(word) || process_is_compressed)
        __atomic_store_n(&tag->word, word, __ATOMIC_RELEASE);
    return word;
}

/* Decide which library records, and return the recorder's site or NO_SITE. */
static uint32_t recorders_site(struct alloc_tag *tag)
{
    return tag == NULL || !mem_profiling_is_on() ? NO_SITE
                                                 : alloc_tag_site(tag);
}

static bool is_recorders(void)
{
    return mem_profiling_decide() && engine_of_recorder != NULL;
}

static NOINLINE void *record_first(struct alloc_tag *tag, void *block,
                                   size_t size)
{
    uint32_t word;

    if (tag == NULL || !mem_profiling_is_on())
        return block;
    word = own_word(tag);
    if (word == 0)
        return block;
    mem_profiling_expect_frees();
    return ledger_alloc_word(block, size, word);
}

/* Record a block; the word itself decides which fast path it takes. */
static inline __attribute__((always_inline)) void *
record(void *block, size_t size, uint32_t word)
{
    char *base;

    if (LIKELY(reference_is_there(word))) {
        base = thread_shard();
        if (!ledger_is_near(word))
            __builtin_unreachable(); /* ensured by own_word() */
        if (LIKELY(base != NULL && ledger_is_on())) {
            enum ledger_result result =
                ledger_alloc_near(block, size, word, base, LEDGER_OWN_SHARD);

            if (LIKELY(result != LEDGER_SLOW_PATH))
                return LIKELY(result == LEDGER_DONE)
                           ? block
                           : ledger_flush(block,
                                          (struct reference){ word, size });
        }
    } else {
        base = thread_compact_shard();
        if (LIKELY(base != NULL && ledger_is_on() &&
                   ledger_alloc_compact(block, size, word, base)))
            return block;
    }
    return ledger_alloc_word_slow(block, size, word);
}

/* Return the word of a tag whose site is open and ours, or 0. */
static inline uint32_t word_of(const struct alloc_tag *tag)
{
    return LIKELY(tag != NULL) ? PLAIN_LOAD(&tag->word) : 0;
}

static NOINLINE void *malloc_first(struct alloc_tag *tag, size_t size,
                                   uintptr_t caller)
{
    if (is_recorders())
        return engine_of_recorder->allocate(0, size, recorders_site(tag),
                                            caller);
    return record_first(tag, malloc(size), size);
}

void *tally_tag_malloc(struct alloc_tag *tag, size_t size)
{
    uint32_t word = word_of(tag);

    if (tell_begins())
        return tell_malloc(tally_tag_malloc(tag, size), size, TELL_CALLER);
    if (UNLIKELY(word == 0))
        return malloc_first(tag, size, CALLER);
    return record(malloc(size), size, word);
}

void *tally_tag_calloc(struct alloc_tag *tag, size_t count, size_t size)
{
    uint32_t word = word_of(tag);
    size_t bytes;

    if (tell_begins())
        return tell_calloc(tally_tag_calloc(tag, count, size), count, size,
                           TELL_CALLER);
    if (__builtin_mul_overflow(count, size, &bytes))
        return calloc(count, size); /* it sets errno */
    if (LIKELY(word != 0))
        return record(calloc(count, size), bytes, word);
    if (is_recorders())
        return engine_of_recorder->allocate_zeroed(count, size,
                                                   recorders_site(tag), CALLER);
    return record_first(tag, calloc(count, size), bytes);
}

void *tally_tag_aligned_alloc(struct alloc_tag *tag, size_t alignment,
                              size_t size)
{
    if (tell_begins())
        return tell_malloc(tally_tag_aligned_alloc(tag, alignment, size), size,
                           TELL_CALLER);
    if (is_recorders())
        return engine_of_recorder->allocate(alignment, size,
                                            recorders_site(tag), CALLER);
    return record_first(tag, aligned_alloc(alignment, size), size);
}

int tally_tag_posix_memalign(struct alloc_tag *tag, void **block,
                             size_t alignment, size_t size)
{
    void *made;
    int error;

    if (tell_begins()) {
        error = tally_tag_posix_memalign(tag, block, alignment, size);
        tell_malloc(error == 0 ? *block : NULL, size, TELL_CALLER);
        return error;
    }
    if (!is_recorders()) {
        error = posix_memalign(block, alignment, size);
        record_first(tag, error == 0 ? *block : NULL, size);
        return error;
    }
    if (alignment % sizeof(void *) != 0 || alignment == 0 ||
        (alignment & (alignment - 1)) != 0)
        return EINVAL;
    error = errno;
    made = engine_of_recorder->allocate(alignment, size, recorders_site(tag),
                                        CALLER);
    errno = error;
    if (made == NULL)
        return ENOMEM;
    *block = made;
    return 0;
}

void *tally_tag_realloc(struct alloc_tag *tag, void *block, size_t size)
{
    struct reference old;
    uint32_t word = 0;
    void *moved;

    if (tell_begins())
        return tell_realloc(tally_tag_realloc(tag, block, size), block, size,
                            TELL_CALLER);
    if (is_recorders())
        return engine_of_recorder->resize(block, size, recorders_site(tag),
                                          CALLER);
    if (tag != NULL && mem_profiling_is_on())
        word = own_word(tag);
    if (word != 0)
        mem_profiling_expect_frees();
    old = ledger_take(block);
    moved = realloc(block, size);
    ledger_resized_word(block, old, moved, size, word);
    return moved;
}

static NOINLINE void free_slow(void *block)
{
    if (block != NULL && engine_of_recorder == NULL && !shadow_is_empty())
        ledger_drop(block);
    free(block);
}

static NOINLINE void free_compact(void *block)
{
    char *base = thread_compact_shard();

    if (LIKELY(base != NULL && ledger_free_compact(block, base)))
        free(block);
    else
        free_slow(block);
}

void tally_tag_free(void *block)
{
    struct reference freed;

    if (tell_begins()) {
        tally_tag_free(block);
        tell_free(block, TELL_CALLER);
        return;
    }
    switch (ledger_free_fast(block, &freed)) {
    case LEDGER_SLOW_PATH:
        free_compact(block);
        return;
    case LEDGER_FLUSH:
        ledger_flush_free(freed);
        break;
    case LEDGER_DONE:
        break;
    }
    free(block);
}
