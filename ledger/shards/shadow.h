/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow.h - where a block's reference lies: beside the heap, not in it
 *
 * Blocks, their sizes and their places stay as the allocator made them. For
 * every 4 MiB of address space that holds a block there is a leaf of words, one
 * for each granule (format/ledger/reference.h), found through a small hash
 * table:
 *
 *     address | region: address / 4 MiB | granule | 0000 |
 *                        |                   |
 *              slots[region % 32768] ---> leaf: | word | word | ... | spare |
 *
 * A hash table rather than a directory of all address space, so that limits on
 * address space (ulimit -v, mlockall, overcommit) see only what is used: 640
 * KiB of table, enough for 128 GiB of heap, then 1 MiB for each 4 MiB of heap,
 * touched page by page. A block in the last granule writes to the spare words.
 *
 * Invariants:
 *
 *   I1  a region claims a slot once, for good, before anything else in the slot
 *       is set; a thread that finds a claim without a leaf completes it
 *   I2  a slot's `start` is set last, so that an address less than 4 MiB behind
 *       it finds the leaf. An empty slot's start is 4 MiB where i is 0 and else
 *       0, and no address of region i, i + 32768 ... lies behind that
 *   I3  an address that is not a multiple of the granule, or whose leaf is not
 *       there, or whose word is 0, is not recorded
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
    SHADOW_GRANULE_LOG2 = 4,       /* libc: the smallest chunk has two */
    SHADOW_SMALL_GRANULE_LOG2 = 3, /* others: blocks of 8 bytes, 8 apart */
};

struct shadow_slot {
    uintptr_t start; /* of the region */
    char *leaf;      /* the words of that address */
};

struct shadow {
    struct shadow_slot slots[SHADOW_SLOTS];
    uint32_t claims[SHADOW_SLOTS]; /* region + 1; 0: the slot is free */
    uint32_t granule_log2;
    uint32_t is_compressed; /* 16-bit words */
    uint32_t is_wide;       /* ... and ids that need all of them */
    uint32_t leaf_count;
};

enum { SHADOW_SLOT_LOG2 = 4 };

_Static_assert(sizeof(struct shadow_slot) <= 1 << SHADOW_SLOT_LOG2, "");

extern HIDDEN struct shadow shadow;

/* Before the first block. */
void shadow_open(bool is_compressed, bool has_small_blocks);

/* Granules of 16 bytes: libc's allocator. */
static inline bool shadow_is_of_libc(void)
{
    return shadow.granule_log2 == SHADOW_GRANULE_LOG2;
}

/* Full words for granules of 16 bytes: libc's allocator, not compressed. */
static inline bool shadow_is_plain(void)
{
    return shadow_is_of_libc() && !shadow.is_compressed;
}

/* The slot that an address asks first. One shift finds its place in bytes. */
static inline const struct shadow_slot *shadow_first_slot(uintptr_t address)
{
    uintptr_t place = address >> (SHADOW_REGION_SHIFT - SHADOW_SLOT_LOG2) &
                      (uintptr_t)(SHADOW_SLOTS - 1) << SHADOW_SLOT_LOG2;

    return (
        const struct shadow_slot *)(const void *)((const char *)shadow.slots +
                                                  place);
}

/*
 * With granules of 16 bytes: the leaf of `block` and its granule there. False
 * when its leaf is not in the first slot asked, which hardly happens, or
 * nowhere, or when it is not aligned: rotating its offset brings bits that
 * should be 0 to the top, so that one comparison finds them too.
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

/* When it is plain: the words of `block`; false as above. */
static inline bool shadow_words(const void *block, uint32_t **words)
{
    uintptr_t granule;
    char *leaf;

    if (UNLIKELY(!shadow_granule(block, &granule, &leaf)))
        return false;
    *words = (uint32_t *)(void *)leaf + granule;
    return true;
}

/* Whether no block was ever recorded. */
static inline bool shadow_is_empty(void)
{
    return __atomic_load_n(&shadow.leaf_count, __ATOMIC_RELAXED) == 0;
}

/*
 * The same for both forms, slower. put makes the leaf when it is missing and
 * returns false when that fails; take clears what it returns.
 */
bool shadow_put(const void *block, struct reference reference);
struct reference shadow_get(const void *block);
struct reference shadow_take(const void *block);

/*
 * Before a block of `size` bytes is put: take a reference whose words it needs,
 * in part or whole. Such a block is gone, as no two blocks share granules. Id
 * 0: there is none, or no more; what reaches in from another region stays. Of
 * threads that find the same one, one has it.
 */
struct reference shadow_take_stale(const void *block, size_t size);

/* Every reference, in no order. Used by a forked child, before it records. */
void shadow_walk(void (*visit)(struct reference reference, void *context),
                 void *context);

/* Where others read it as a struct ledger_shadow; 0: they cannot. */
uint64_t shadow_address(void);

/* After mlockall. */
void shadow_unlock(void);
