/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_list.h - the unused blocks of a slab, as a list without a lock
 *
 *     list, few blocks    takes, modulo 2^32 | W | 0 | used | first unused
 *     list, many blocks   takes, modulo 2^32 | W | 0 | first unused
 *     owners[block]       1 | the site it is charged to   it is out
 *                         0 | 1 | next                    it was given back
 *                         0                               it was never used
 *
 * The block behind one that was never used is the next in the buffer, and the
 * list ends where that is num_blocks. So zeroed memory is a list of all blocks
 * in order, and a slab needs no code to be ready. The words beside the buffer
 * are the list; the link in a block (the next one's number, disguised) is what
 * its first 4 bytes must still hold when it is taken; 0 in one that was never
 * used.
 *
 * Blocks come and go by one compare-and-exchange of `list`. Each take changes
 * the upper half, so a list that looks like one seen before is the same. How
 * many are out lies in it when there are few, up to TALLY_SLAB_FEW; of many,
 * they are takes - frees. W: threads may be waiting; the list is then empty,
 * and stays so until the queue was looked at under the guard.
 *
 * Where there are no threads the same is done with interrupts off instead.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/waiting/wait_queue.h"
#include "port/words.h"
#include "tally/mem_slab.h"
#include "tally/port.h"

#define SLAB_NEXT_MASK      ((UINT32_C(1) << 30) - 1)
#define SLAB_WAITED_FOR     (UINT32_C(1) << 31)
#define SLAB_ONE_TAKE       (UINT64_C(1) << 32)
#define SLAB_OWNER_OUT      (UINT32_C(1) << 31)
#define SLAB_OWNER_RETURNED (UINT32_C(1) << 30)
#define SLAB_NONE           UINT32_MAX

/* What a link looks like when nothing was written over it. */
#define SLAB_LINK_DISGUISE UINT32_C(0x9e51ab27)

typedef uint32_t __attribute__((may_alias)) slab_link;

/* `*seen` is made new when it is not what is there. */
static inline bool slab_list_swap(struct tally_slab_counts *counts,
                                  uint64_t *seen, uint64_t wanted)
{
    return words_swap_64(&counts->list, seen, wanted, words_are_alone());
}

static inline uint64_t slab_list_load(const struct tally_slab_counts *counts)
{
    return words_load_64(&counts->list);
}

static inline uint32_t slab_frees(const struct tally_slab_counts *counts)
{
    return __atomic_load_n(&counts->frees, __ATOMIC_RELAXED);
}

static inline void slab_owner_set(struct k_mem_slab *slab, uint32_t block,
                                  uint32_t owner)
{
    __atomic_store_n(&slab->owners[block], owner, __ATOMIC_RELAXED);
}

static inline void *slab_block(const struct k_mem_slab *slab, uint32_t block)
{
    return slab->buffer + (size_t)block * slab->block_size;
}

/* `used` blocks were out at once. */
static inline void slab_raise_peak(struct tally_slab_counts *counts,
                                   uint32_t used)
{
    uint32_t peak = __atomic_load_n(&counts->peak, __ATOMIC_RELAXED);

    while (__builtin_expect(used > peak, 0)) {
        if (__atomic_compare_exchange_n(&counts->peak, &peak, used, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

static inline uint32_t slab_head(const struct k_mem_slab *slab, uint64_t list)
{
    return (uint32_t)list & slab->head_mask;
}

/* The blocks out when the list looked like this, and `frees` like that. */
static inline uint32_t slab_used_of(uint32_t one_used, uint64_t list,
                                    uint32_t frees)
{
    if (__builtin_expect(one_used != 0, 1))
        return ((uint32_t)list & ~SLAB_WAITED_FOR) / TALLY_SLAB_ONE_USED;
    return (uint32_t)(list >> 32) - frees;
}

/*
 * The list when `block`, whose word is `owner`, is not its first any more. What
 * the word says comes last: it takes longest to be known.
 */
static inline uint64_t slab_list_behind(const struct k_mem_slab *slab,
                                        uint64_t list, uint32_t block,
                                        uint32_t owner)
{
    uint64_t wanted =
        (list & ~(uint64_t)slab->head_mask) + slab->one_used + SLAB_ONE_TAKE;

    if (__builtin_expect((owner & SLAB_OWNER_RETURNED) == 0, 0)) {
        __asm volatile(
            ""); /* a branch: what is predicted need not be awaited */
        return wanted + block + 1;
    }
    return wanted - SLAB_OWNER_RETURNED + owner;
}

/* What a try came to: nothing is done unless it IS_DONE. */
enum slab_try { SLAB_IS_DONE, SLAB_IS_EMPTY, SLAB_IS_CHANGED };

/*
 * Take the first unused block of a list that looks like `*list`. `*owner` is
 * what its word says; the block belongs to the caller from now on. If the list
 * is another one by now, that is in `*list`. Between words_enter() and
 * words_leave().
 */
static inline enum slab_try slab_try_take(struct k_mem_slab *slab,
                                          uint64_t *list, uint32_t *block,
                                          uint32_t *owner, bool is_alone)
{
    struct tally_slab_counts *counts = slab->counts;
    uint32_t one_used = slab->one_used;
    uint32_t frees = 0;
    uint64_t wanted;

    *block = slab_head(slab, *list);
    if (*block >= slab->num_blocks)
        return SLAB_IS_EMPTY;
    *owner = __atomic_load_n(&slab->owners[*block], __ATOMIC_RELAXED);
    if (__builtin_expect(one_used == 0, 0))
        frees = slab_frees(counts);
    wanted = slab_list_behind(slab, *list, *block, *owner);
    if (!words_swap_64(&counts->list, list, wanted, is_alone))
        return SLAB_IS_CHANGED;
    slab_raise_peak(counts, slab_used_of(one_used, wanted, frees));
    return SLAB_IS_DONE;
}

/* The same until it is done, or SLAB_NONE. */
static inline uint32_t slab_take(struct k_mem_slab *slab, uint32_t *owner)
{
    uint64_t list = slab_list_load(slab->counts);
    enum slab_try try;
    uint32_t block;

    do
        try = slab_try_take(slab, &list, &block, owner, false);
    while (try == SLAB_IS_CHANGED);
    return try == SLAB_IS_DONE ? block : SLAB_NONE;
}

/*
 * Put the caller's block before a list that looks like `*list`, likewise.
 * SLAB_IS_EMPTY: threads may be waiting.
 */
static inline enum slab_try slab_try_put(struct k_mem_slab *slab,
                                         uint64_t *list, uint32_t block,
                                         bool is_alone)
{
    uint32_t mask = slab->head_mask;
    uint64_t changed = (uint64_t)block - slab->one_used;
    uint64_t *word = &slab->counts->list;
    uint32_t next = (uint32_t)*list & mask;

    if (WAIT_QUEUE_IS_USED && ((uint32_t)*list & SLAB_WAITED_FOR) != 0)
        return SLAB_IS_EMPTY;
    slab_owner_set(slab, block, SLAB_OWNER_RETURNED | next);
    *(slab_link *)slab_block(slab, block) = next ^ SLAB_LINK_DISGUISE;
    return words_swap_64(word, list, (*list & ~(uint64_t)mask) + changed,
                         is_alone)
               ? SLAB_IS_DONE
               : SLAB_IS_CHANGED;
}

/* The same until it is done. False: threads may be waiting. */
static inline bool slab_put(struct k_mem_slab *slab, uint32_t block)
{
    uint64_t list = slab_list_load(slab->counts);
    enum slab_try try;

    do
        try = slab_try_put(slab, &list, block, false);
    while (try == SLAB_IS_CHANGED);
    return try == SLAB_IS_DONE;
}

/* Whether a block that was just taken is as slab_put() or the init left it. */
static inline bool slab_is_intact(const void *block, uint32_t owner)
{
    uint32_t expected = (owner & SLAB_OWNER_RETURNED) == 0
                            ? 0
                            : (owner & SLAB_NEXT_MASK) ^ SLAB_LINK_DISGUISE;

    return *(const slab_link *)block == expected;
}

/* Write figures into the ledger: mem_slab_registry.c. What a block that comes
   or goes changes, or all of them. */
void slab_publish_blocks(struct tally_slab_state *state);
void slab_publish_events(struct tally_slab_state *state);

static inline bool slab_has_region(const struct tally_slab_counts *counts)
{
    return __STDC_HOSTED__ &&
           __atomic_load_n(&counts->region, __ATOMIC_RELAXED) != NULL;
}

static inline void slab_publish(const struct k_mem_slab *slab)
{
    if (slab_has_region(slab->counts))
        slab_publish_events(slab->state);
}

/*
 * Blocks that are out. Of many blocks takes and frees lie in two words. Read
 * until no block was freed in between; where others never let up, the last look
 * must do.
 */
static inline uint32_t slab_state_used(const struct tally_slab_state *state)
{
    enum { TRIES = 8 };
    uint32_t before, used;
    unsigned tries = 0;

    do {
        before = slab_frees(&state->counts);
        used = slab_used_of(TALLY_SLAB_USED_UNIT(state->num_blocks),
                            slab_list_load(&state->counts), before);
    } while (slab_frees(&state->counts) != before && ++tries < TRIES);
    return used < state->num_blocks ? used : state->num_blocks;
}

/*
 * The list of all slabs: mem_slab_registry.c. What changes in a slab lies in
 * its state, in Tally's own memory or beside the definition, never on a stack:
 * walking the list is safe when a slab's memory is gone. Its state is used
 * again when another slab is initialised in the same place. The list changes
 * under the port's lock. A state that is in it stays.
 */

/*
 * The state of a slab that is about to be initialised here, in the list, with
 * words for `blocks` blocks; NULL: no memory. Under the port's lock.
 */
struct tally_slab_state *slab_registry_open(struct k_mem_slab *slab,
                                            uint32_t blocks);

/* Enter it in the ledger, or its new name and size. Under the port's lock. */
void slab_region_enter(struct tally_slab_state *state);

/* The first in the list of all; under the port's lock. One without a slab is
   none. */
const struct tally_slab_state *slab_registry_first(void);
