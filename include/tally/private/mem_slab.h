/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab.h - part of tally/mem_slab.h: structures and static definitions */
#ifndef TALLY_PRIVATE_MEM_SLAB_H
#define TALLY_PRIVATE_MEM_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"
#include "tally/private/object_list.h"

TALLY_BEGIN_DECLS

/* All-zero means that every block is unused. */
struct ledger_region;

struct tally_slab_counts {
    uint64_t list;  /* core/slabs/mem_slab_list.h */
    uint32_t frees; /* blocks freed; with `list`: blocks in use */
    uint32_t peak;
    uint32_t refused, timed_out, waiting;
    uint32_t faults[3]; /* by enum tally_slab_fault */
    uint64_t longest_wait_ns;
    struct ledger_region *region; /* its ledger record; NULL: none */
};

struct tally_waiter;

struct tally_slab_state {
    struct tally_listed place; /* its entry in the list of all slabs */
    const char *name;
    size_t block_size;
    uint32_t num_blocks;
    uint32_t capacity;
    uint32_t *owners; /* one word per block */
    struct tally_waiter *waiters;
    uint32_t guard;      /* held while the queue of waiters changes */
    uint32_t is_defined; /* defined by a macro: unlisted when its object is
                            unloaded */
    struct tally_slab_counts counts;
};

struct k_mem_slab {
    struct k_mem_slab *self; /* its own address once initialised */
    unsigned char *buffer;
    size_t block_size;
    size_t inverse; /* inverse of the odd part of block_size; 0: not computed
                       yet */
    uint32_t shift; /* exponent of the even part */
    uint32_t num_blocks;
    uint32_t head_mask, one_used; /* layout of `list` */
    uint32_t *owners;
    struct tally_slab_counts *counts;
    struct tally_slab_state *state;
};

/* Largest number of blocks whose count fits into the list word. */
#define TALLY_SLAB_FEW      ((1u << 15) - 1)
#define TALLY_SLAB_ONE_USED (1u << 15)
#define TALLY_SLAB_HEAD_MASK(count) \
    ((count) <= TALLY_SLAB_FEW ? TALLY_SLAB_FEW : TALLY_SLAB_MOST_BLOCKS)
#define TALLY_SLAB_USED_UNIT(count) \
    ((count) <= TALLY_SLAB_FEW ? TALLY_SLAB_ONE_USED : 0)

struct tally_slab_item {
    struct k_mem_slab *slab;
    struct tally_slab_state *state;
};

void tally_slabs_enter(struct tally_slab_item *start,
                       struct tally_slab_item *stop);
void tally_slabs_leave(struct tally_slab_item *start,
                       struct tally_slab_item *stop);

/* Inside a function, a slab that is not static has no constant address. */
#ifdef __cplusplus
#if __cplusplus >= 201103L
#define TALLY_SLAB_CHECK static_assert
#else /* an array of negative size does not compile */
#define TALLY_SLAB_CHECK(condition, sentence) \
    extern char tally_slab_check[(condition) ? 1 : -1]
#endif
#define TALLY_SLAB_OF_FILE(name) \
    (__builtin_strlen(__builtin_FUNCTION()) == 0 ? &(name) : NULL)
#else
#define TALLY_SLAB_CHECK __extension__ _Static_assert
#define TALLY_SLAB_OF_FILE(name)                                       \
    __builtin_choose_expr(__builtin_strlen(__builtin_FUNCTION()) == 0, \
                          &(name), NULL)
#endif

#define TALLY_SLAB_ALIGN(align) ((align) < 4 ? 4 : (align))
#define TALLY_SLAB_BYTES(size)  (((size) + 3) / 4 * 4)

#define TALLY_SLAB_DEFINE(storage, name, listed, size, count, align)     \
    TALLY_SLAB_CHECK((align) > 0 && ((align) & ((align)-1)) == 0,        \
                     "slab_align is a power of 2");                      \
    TALLY_SLAB_CHECK((size) > 0 && (size) % (align) == 0,                \
                     "slab_block_size is a multiple of slab_align");     \
    TALLY_SLAB_CHECK((count) > 0 && (count) <= TALLY_SLAB_MOST_BLOCKS,   \
                     "slab_num_blocks is at least 1");                   \
    TALLY_SLAB_CHECK((size) <= PTRDIFF_MAX / (count),                    \
                     "all blocks together fit into memory");             \
    static unsigned char __aligned(TALLY_SLAB_ALIGN(align))              \
        tally_slab_buffer_##name[TALLY_SLAB_BYTES((size_t)(size)) *      \
                                 (size_t)(count)];                       \
    static uint32_t tally_slab_owners_##name[(size_t)(count)];           \
    static struct tally_slab_state tally_slab_state_##name = {           \
        { NULL, NULL, NULL, NULL },                                      \
        #name,                                                           \
        TALLY_SLAB_BYTES((size_t)(size)),                                \
        (uint32_t)(count),                                               \
        (uint32_t)(count),                                               \
        tally_slab_owners_##name,                                        \
        NULL,                                                            \
        0,                                                               \
        1,                                                               \
        { 0, 0, 0, 0, 0, 0, { 0, 0, 0 }, 0, NULL }                       \
    };                                                                   \
    storage struct k_mem_slab name = {                                   \
        &(name),                                                         \
        tally_slab_buffer_##name,                                        \
        TALLY_SLAB_BYTES((size_t)(size)),                                \
        0,                                                               \
        (uint32_t)__builtin_ctzll(TALLY_SLAB_BYTES((uint64_t)(size))),   \
        (uint32_t)(count),                                               \
        TALLY_SLAB_HEAD_MASK(count),                                     \
        TALLY_SLAB_USED_UNIT(count),                                     \
        tally_slab_owners_##name,                                        \
        &tally_slab_state_##name.counts,                                 \
        &tally_slab_state_##name                                         \
    };                                                                   \
    static struct tally_slab_item tally_slab_item_##name __attribute__(( \
        used, section("tally_slabs"),                                    \
        aligned(sizeof(void *)))) = { listed, &tally_slab_state_##name }

TALLY_OBJECT_LIST(tally_slabs, struct tally_slab_item);

TALLY_END_DECLS

#endif /* TALLY_PRIVATE_MEM_SLAB_H */
