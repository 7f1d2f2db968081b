/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shadow.h - where a block's reference lies: beside the heap, not in it
 *
 * Blocks, their sizes and their places stay as the allocator made them. For
 * every 4 MiB of address space that holds a block there is a leaf of words, one
 * for each granule (core/reference.h), found through a small hash table:
 *
 *     address | key: address / 4 MiB | granule | 0000 |
 *                   |                    |
 *              leaves[key % 65536] ---> leaf: | word | word | ... | spare |
 *
 * A hash of what is there, where a directory of all address space would be, so
 * that limits on address space (ulimit -v, mlockall, overcommit) see only what
 * is used: 1 MiB of table, then 1 MiB for each 4 MiB of heap, touched page by
 * page. The spare words take what a block in the last granule writes.
 *
 * Invariants:
 *
 *   I1  a slot's key is set once, from 0, and its leaf once, from NULL; no leaf
 *       is ever taken away
 *   I2  an address that is not a multiple of the granule, or whose leaf is not
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
    SHADOW_LEAF_SHIFT = 22,
    SHADOW_SLOTS = 65536,
    SHADOW_GRANULE_LOG2 = 4,       /* libc: the smallest chunk has two */
    SHADOW_SMALL_GRANULE_LOG2 = 3, /* others: blocks of 8 bytes, 8 apart */
};

struct shadow_slot {
    uintptr_t key;
    void *leaf;
};

struct shadow {
    uint32_t granule_log2;
    uint32_t is_compressed; /* 16-bit words */
    struct shadow_slot slots[SHADOW_SLOTS];
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
    uintptr_t key = address >> SHADOW_LEAF_SHIFT;
    const struct shadow_slot *slot = &shadow.slots[key % SHADOW_SLOTS];
    char *leaf;

    if (UNLIKELY(__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != key))
        return NULL;
    leaf = __atomic_load_n(&slot->leaf, __ATOMIC_ACQUIRE);
    if (UNLIKELY(leaf == NULL))
        return NULL;
    return (uint32_t *)(void *)(leaf + (address >> 2 & 0xffffc));
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
