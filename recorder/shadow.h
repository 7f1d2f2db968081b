/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow.h - where a block's reference lies: beside the heap, not in it
 *
 * Blocks, their sizes and their places stay as the allocator made them. For
 * every 4 MiB of address space that holds a block there is a leaf of words, one
 * for each granule (core/reference.h), found through a small hash table:
 *
 *     address | region: address / 4 MiB | granule | 0000 |
 *                        |                   |
 *              slots[region % 32768] ---> leaf: | word | word | ... | spare |
 *
 * A hash of what is there, where a directory of all address space would be, so
 * that limits on address space (ulimit -v, mlockall, overcommit) see only what
 * is used: 640 KiB of table, enough for 128 GiB of heap, then 1 MiB for each 4
 * MiB of heap, touched page by page. The spare words take what a block in the
 * last granule writes.
 *
 * Invariants:
 *
 *   I1  a region claims a slot once, for good, before anything else in the slot
 *       is set; whoever finds a claim without a leaf completes it
 *   I2  a slot's `end` is set last, so that an address less than 4 MiB before
 *       it finds the leaf; an empty slot's end is 0, and no address matches
 *   I3  an address that is not a multiple of the granule, or whose leaf is not
 *       there, or whose word is 0, is nobody's
 */
#ifndef TALLY_RECORDER_SHADOW_H
#define TALLY_RECORDER_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/reference.h"
#include "recorder/export.h"

enum {
    SHADOW_REGION_SHIFT = 22,
    SHADOW_REGION = 1 << SHADOW_REGION_SHIFT,
    SHADOW_SLOTS = 32768,
    SHADOW_GRANULE_LOG2 = 4,       /* libc: the smallest chunk has two */
    SHADOW_SMALL_GRANULE_LOG2 = 3, /* others: blocks of 8 bytes, 8 apart */
};

struct shadow_slot {
    uintptr_t end;  /* of the region: the first address behind it */
    char *leaf_end; /* where the words of that address would be */
};

struct shadow {
    uint32_t granule_log2;
    uint32_t is_compressed; /* 16-bit words */
    struct shadow_slot slots[SHADOW_SLOTS];
    uint32_t claims[SHADOW_SLOTS]; /* region + 1; 0: the slot is free */
};

extern HIDDEN struct shadow shadow;

/* Before the first block. */
void shadow_open(bool is_compressed, bool has_small_blocks);

/* Full words for granules of 16 bytes: libc's allocator, not compressed. */
static inline bool shadow_is_plain(void)
{
    return shadow.granule_log2 == SHADOW_GRANULE_LOG2 && !shadow.is_compressed;
}

/*
 * When it is plain: the words of `block`, or NULL when its leaf is not in the
 * first slot asked, which hardly happens, or nowhere.
 */
static inline uint32_t *shadow_words(const void *block)
{
    uintptr_t address = (uintptr_t)block;
    const struct shadow_slot *slot =
        &shadow.slots[(address >> SHADOW_REGION_SHIFT) % SHADOW_SLOTS];
    intptr_t to_end =
        (intptr_t)(address - __atomic_load_n(&slot->end, __ATOMIC_ACQUIRE));

    if (UNLIKELY((uintptr_t)to_end < (uintptr_t)-SHADOW_REGION))
        return NULL;
    return (
        uint32_t *)(void *)(__atomic_load_n(&slot->leaf_end, __ATOMIC_RELAXED) +
                            (to_end >> 2));
}

static inline bool shadow_is_aligned(const void *block)
{
    return ((uintptr_t)block & 15) == 0;
}

/*
 * The same for both forms, slower. put makes the leaf when it is missing and
 * returns false when that fails; take clears what it returns.
 */
bool shadow_put(const void *block, struct reference reference);
struct reference shadow_get(const void *block);
struct reference shadow_take(const void *block);

/* Every reference, in no order. Used by a forked child, before it records. */
void shadow_walk(void (*visit)(struct reference reference, void *context),
                 void *context);

/* After mlockall. */
void shadow_unlock(void);

#endif /* TALLY_RECORDER_SHADOW_H */
