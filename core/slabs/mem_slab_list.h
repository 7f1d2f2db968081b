/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_list.h - lock-free list of the unused blocks of a slab
 *
 *     list, few blocks    takes, modulo 2^32 | W | 0 | used | first unused
 *     list, many blocks   takes, modulo 2^32 | W | 0 | first unused
 *     owners[block]       1 | the site it is charged to   it is in use
 *                         0 | 1 | next                    it was returned
 *                         0                               it was never used
 *
 * The successor of a never-used block is the next one in the buffer; the list
 * ends at num_blocks. So zeroed memory is a list of all blocks in order, and a
 * slab is ready without initialization. The words beside the buffer form the
 * list. The link in a block (the next number, disguised) only detects damage:
 * its first 4 bytes must be unchanged when it is taken; 0 in a never-used
 * block.
 *
 * Blocks are taken and returned by one compare-and-exchange of `list`. Each
 * take changes the upper half, which prevents ABA. The number of used blocks is
 * in it for up to TALLY_SLAB_FEW blocks; for more blocks, it is takes - frees.
 * W: threads may be waiting; the list is then empty until the queue was checked
 * under the guard.
 *
 * Without threads, interrupts are masked instead.
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

/* Value that disguises a link, to detect overwritten links. */
#define SLAB_LINK_DISGUISE UINT32_C(0x9e51ab27)

typedef uint32_t __attribute__((may_alias)) slab_link;

/* Replace the list if it is `*seen`; otherwise store its value in `*seen`. */
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

/* Raise the peak to `used` blocks. */
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

/* Return the used blocks for these values of the list and of `frees`. */
static inline uint32_t slab_used_of(uint32_t one_used, uint64_t list,
                                    uint32_t frees)
{
    if (__builtin_expect(one_used != 0, 1))
        return ((uint32_t)list & ~SLAB_WAITED_FOR) / TALLY_SLAB_ONE_USED;
    return (uint32_t)(list >> 32) - frees;
}

/* Return the list without its first block, whose word is `owner`. The word is
   used last, since it takes longest to load. */
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

/* Result of an attempt; only SLAB_IS_DONE changes anything. */
enum slab_try { SLAB_IS_DONE, SLAB_IS_EMPTY, SLAB_IS_CHANGED };

/*
 * Take the first unused block of a list that looks like `*list`. `*owner` is
 * its word; the caller owns the block from now on. If the list has changed,
 * store its value in `*list`. Call it between words_enter() and words_leave().
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

/* Take a block, with retries; return SLAB_NONE if there is none. */
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

/* Return the caller's block to a list that looks like `*list`, as above.
   SLAB_IS_EMPTY: threads may be waiting. */
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

/* Return a block, with retries; return false if threads may be waiting. */
static inline bool slab_put(struct k_mem_slab *slab, uint32_t block)
{
    uint64_t list = slab_list_load(slab->counts);
    enum slab_try try;

    do
        try = slab_try_put(slab, &list, block, false);
    while (try == SLAB_IS_CHANGED);
    return try == SLAB_IS_DONE;
}

/* Return true if a block just taken is as slab_put() or the initialization left
   it. */
static inline bool slab_is_intact(const void *block, uint32_t owner)
{
    uint32_t expected = (owner & SLAB_OWNER_RETURNED) == 0
                            ? 0
                            : (owner & SLAB_NEXT_MASK) ^ SLAB_LINK_DISGUISE;

    return *(const slab_link *)block == expected;
}

/* Write figures into the ledger (mem_slab_registry.c): those that allocating or
   freeing a block changes, or all of them. */
void slab_publish_blocks(struct tally_slab_state *state);
void slab_publish_events(struct tally_slab_state *state);

static inline bool slab_has_region(const struct tally_slab_counts *counts)
{
    return TALLY_HAS(OS) &&
           __atomic_load_n(&counts->region, __ATOMIC_RELAXED) != NULL;
}

static inline void slab_publish(const struct k_mem_slab *slab)
{
    if (slab_has_region(slab->counts))
        slab_publish_events(slab->state);
}

/* Return the used blocks. With many blocks, takes and frees are two words: read
   until no block was freed in between, at most TRIES times. */
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
 * The list of all slabs (mem_slab_registry.c). A slab's changing data lies in
 * its state, in Tally's own memory or beside the definition, never on a stack:
 * walking the list is safe when a slab's memory is gone. The state is reused
 * when another slab is initialised at the same address. The list changes under
 * the port's lock; states are never removed from memory.
 */

/* Return the listed state of a slab about to be initialised here, with words
   for `blocks` blocks; NULL: no memory. Under the port's lock. */
struct tally_slab_state *slab_registry_open(struct k_mem_slab *slab,
                                            uint32_t blocks);

/* Enter a slab in the ledger, or update its name and size. Under the port's
   lock. */
void slab_region_enter(struct tally_slab_state *state);

/* Return the first state in the list of all; states without a slab are unused.
   Under the port's lock. */
const struct tally_slab_state *slab_registry_first(void);
