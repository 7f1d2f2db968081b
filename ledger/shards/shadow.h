/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow.h - the references of blocks: beside the heap, not in it
 *
 * Blocks, their sizes and their addresses stay as the allocator made them. Each
 * 4 MiB of address space that holds a block has a leaf of words, one for each
 * granule (format/ledger/reference.h), found through a small hash table:
 *
 *     address | region: address / 4 MiB | granule | 0000 |
 *                        |                   |
 *              slots[region % 32768] ---> leaf: | word | word | ... | spare |
 *
 * A hash table, not a directory of all address space: limits on address space
 * (ulimit -v, mlockall, overcommit) count only what is used. The table takes
 * 640 KiB, enough for 128 GiB of heap, and each 4 MiB of heap 1 MiB, touched
 * page by page. A block in the last granule writes to the spare words.
 *
 * Invariants:
 *
 *   I1  a region claims a slot once, for good, before anything else in the slot
 *       is set; a thread that finds a claim without a leaf completes it
 *   I2  a slot's `start` is set last, so that an address less than 4 MiB behind
 *       it finds the leaf. An empty slot's start is 4 MiB if i is 0 and else 0,
 *       and no address of region i, i + 32768 ... lies behind that
 *   I3  an address that is not a multiple of the granule, or has no leaf, or
 *       whose word is 0, is not recorded
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "format/ledger/reference.h"
#include "ledger/export.h"

enum {
    SHADOW_REGION_SHIFT = 22,
    SHADOW_REGION = 1 << SHADOW_REGION_SHIFT,
    SHADOW_SLOTS = 32768,
    SHADOW_GRANULE_LOG2 = 4, /* libc: the smallest chunk has two granules */
    SHADOW_SMALL_GRANULE_LOG2 = 3, /* others: blocks of 8 bytes, 8 apart */
};

struct shadow_slot {
    uintptr_t start; /* of the region */
    char *leaf;      /* words of that region */
};

struct shadow {
    struct shadow_slot slots[SHADOW_SLOTS];
    uint32_t claims[SHADOW_SLOTS]; /* region + 1; 0: the slot is free */
    uint32_t granule_log2;
    uint32_t is_compressed; /* 16-bit words */
    uint32_t is_wide;       /* set if ids need all 16 bits */
    uint32_t leaf_count;
};

enum { SHADOW_SLOT_LOG2 = 4 };

_Static_assert(sizeof(struct shadow_slot) <= 1 << SHADOW_SLOT_LOG2, "");

extern HIDDEN struct shadow shadow;

/* Choose the granule and the form of words, before the first block. */
void shadow_open(bool is_compressed, bool has_small_blocks);

/* Return true for granules of 16 bytes: libc's allocator. */
static inline bool shadow_is_of_libc(void)
{
    return shadow.granule_log2 == SHADOW_GRANULE_LOG2;
}

/* Return true for full words and granules of 16 bytes. */
static inline bool shadow_is_plain(void)
{
    return shadow_is_of_libc() && !shadow.is_compressed;
}

/* Return the first slot to try for an address; one shift makes its byte
   offset. */
static inline const struct shadow_slot *shadow_first_slot(uintptr_t address)
{
    uintptr_t place = address >> (SHADOW_REGION_SHIFT - SHADOW_SLOT_LOG2) &
                      (uintptr_t)(SHADOW_SLOTS - 1) << SHADOW_SLOT_LOG2;

    return (
        const struct shadow_slot *)(const void *)((const char *)shadow.slots +
                                                  place);
}

/*
 * With granules of 16 bytes: return the leaf of `block` and its granule there.
 * Return false if the leaf is not in the first slot (rare) or does not exist,
 * or if the block is misaligned: rotating its offset moves bits that should be
 * 0 to the top, so that the same comparison rejects them.
 */
static inline bool shadow_granule(const void *block, uintptr_t *granule,
                                  char **leaf)
{
    uintptr_t address = (uintptr_t)block;
    const struct shadow_slot *slot = shadow_first_slot(address);
    uintptr_t offset = address - PLAIN_LOAD(&slot->start);

    *granule = offset >> SHADOW_GRANULE_LOG2 |
               offset << (sizeof offset * 8 - SHADOW_GRANULE_LOG2);
    if (UNLIKELY(*granule >= SHADOW_REGION >> SHADOW_GRANULE_LOG2))
        return false;
    *leaf = PLAIN_LOAD(&slot->leaf);
    return true;
}

/* If the shadow is plain: return the words of `block`; false as above. */
static inline bool shadow_words(const void *block, uint32_t **words)
{
    uintptr_t granule;
    char *leaf;

    if (UNLIKELY(!shadow_granule(block, &granule, &leaf)))
        return false;
    *words = (uint32_t *)(void *)leaf + granule;
    return true;
}

/* Return true if no block was ever recorded. */
static inline bool shadow_is_empty(void)
{
    return __atomic_load_n(&shadow.leaf_count, __ATOMIC_RELAXED) == 0;
}

/*
 * Store, read or take the reference of `block`, in either form; slower than the
 * inline functions. put makes a missing leaf, and returns false if that fails;
 * take clears the words it returns.
 */
bool shadow_put(const void *block, struct reference reference);
struct reference shadow_get(const void *block);
struct reference shadow_take(const void *block);

/*
 * Before a block of `size` bytes is put: take one reference whose words it will
 * overwrite. Its block is gone, as no two blocks share granules. Return id 0 if
 * there is none left; words that reach in from another region stay. If threads
 * find the same reference, one of them gets it.
 */
struct reference shadow_take_stale(const void *block, size_t size);

/* Visit every reference, in no order. A forked child does so before it
   records. */
void shadow_walk(void (*visit)(struct reference reference, void *context),
                 void *context);

/* Return the address of the shadow for readers, as a struct ledger_shadow; 0:
   they cannot read it. */
uint64_t shadow_address(void);

/* Unlock its memory after mlockall(). */
void shadow_unlock(void);
