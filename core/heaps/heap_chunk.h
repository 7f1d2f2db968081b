/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_chunk.h - layout of a sys_heap's region
 *
 * The region consists of units of 8 bytes, counted from `base`:
 *
 *     | list heads | map: a bit for each unit | chunk | chunk ... | end mark |
 *     0                                       first               end
 *
 *     used chunk                          free chunk, two units or more
 *     | units << 2 | flags |  32 bits     | units << 2 | flags |
 *     | site << 5  | slack |  32 bits     | next in its list   |
 *     | the block ...      |              | previous           |
 *                                         | ...                |
 *                                         | units, at its end  |
 *
 * A free chunk of one unit is in no list: its size follows its header. It
 * merges when a neighbour is freed.
 *
 * Compact headers, used with 32-bit addresses unless CONFIG_SYS_HEAP_BIG is y,
 * are
 *
 *     | units << 17 | site << 5 | slack << 2 | flags |    32 bits
 *     | units << 17 | next << 2 | flags |                 of one unit or more
 *     | previous | ... | units |                          16 bits each
 *
 * with list heads of 16 bits. `base` of compact heaps lies 4 bytes after a
 * multiple of 8, so that blocks are aligned to 8 in both forms.
 *
 * Slack is the usable size minus the requested size. The end mark is a used
 * chunk of 0 units. Links are unit numbers, 0 for none: unit 0 holds list
 * heads.
 *
 * Invariants, which sys_heap_validate() checks over a whole heap:
 *
 *   I1  chunks lie side by side from `first` to `end`
 *   I2  no two free chunks touch; CHUNK_LEFT_USED is set if the left chunk is
 *       used; if it is free, its size lies just before this chunk
 *   I3  the map has a bit set exactly at the start of each used chunk. It lies
 *       outside all blocks, so block contents cannot be taken for a block
 *   I4  each free chunk is in the list of its size, once; a list's bit in
 *       `filled` is set if it is not empty
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"
#include "format/ledger/segments_layout.h"
#include "tally/config.h"
#include "tally/private/object_list.h"
#include "tally/sys_heap.h"

enum {
    CHUNK_UNIT = 8,
    CHUNK_USED = 1,
    CHUNK_LEFT_USED = 2,
    CHUNK_FLAGS = 3,
    CHUNK_BUCKET_LIMIT = 4 * 32,
};

/* Sizes from 8 GiB on (compact: 256 KiB) do not fit into a header. */
#define CHUNK_UNIT_LIMIT (UINT32_C(1) << (HEAP_IS_COMPACT ? 15 : 30))

typedef uint32_t __attribute__((may_alias)) chunk_word;
typedef uint16_t __attribute__((may_alias)) chunk_half;

enum {
    HEAP_IS_COMPACT = sizeof(void *) == 4 && !TALLY_CONFIG(CONFIG_SYS_HEAP_BIG)
};

#define CHUNK_BY_FORM(compact, full) (HEAP_IS_COMPACT ? (compact) : (full))
#define CHUNK_HEADER                 CHUNK_BY_FORM(4u, 8u)
#define CHUNK_SMALLEST               CHUNK_BY_FORM(1u, 2u) /* units */
#define CHUNK_SLACK_BITS             CHUNK_BY_FORM(3, 5)
#define CHUNK_SLACK_MASK             ((1u << CHUNK_SLACK_BITS) - 1)
#define CHUNK_SITE_LIMIT             (1u << CHUNK_BY_FORM(12, 27))

static inline chunk_word *chunk_at(const struct sys_heap *heap, uint32_t unit)
{
    return (chunk_word *)(void *)(heap->base + (size_t)unit * CHUNK_UNIT);
}

static inline chunk_half *chunk_halves(const struct sys_heap *heap,
                                       uint32_t unit)
{
    return (chunk_half *)(void *)chunk_at(heap, unit);
}

static inline uint32_t chunk_units(const struct sys_heap *heap, uint32_t unit)
{
    return *chunk_at(heap, unit) >> CHUNK_BY_FORM(17, 2);
}

static inline uint32_t chunk_flags(const struct sys_heap *heap, uint32_t unit)
{
    return *chunk_at(heap, unit) & CHUNK_FLAGS;
}

/* Return site and slack of a used chunk, or the next link of a free one. */
static inline uint32_t chunk_owner(const struct sys_heap *heap, uint32_t unit)
{
    const chunk_word *words = chunk_at(heap, unit);

    return CHUNK_BY_FORM(words[0] >> 2 & 0x7fff, words[1]);
}

static inline void chunk_set_owner(struct sys_heap *heap, uint32_t unit,
                                   uint32_t owner)
{
    chunk_word *words = chunk_at(heap, unit);

    if (HEAP_IS_COMPACT)
        words[0] = (words[0] & ~(0x7fffu << 2)) | owner << 2;
    else
        words[1] = owner;
}

/* Set units and flags, and keep owner or next link. */
static inline void chunk_set(struct sys_heap *heap, uint32_t unit,
                             uint32_t units, uint32_t flags)
{
    chunk_word *word = chunk_at(heap, unit);

    *word = CHUNK_BY_FORM(units << 17 | (*word & (0x7fffu << 2)), units << 2) |
            flags;
}

/*
 * Index of a link in words of the heap's form: previous chunk in the list of a
 * free chunk; size of a free chunk that ends where this one begins; for unit 0,
 * the first chunk of each list.
 */
enum { CHUNK_PREVIOUS = 2, CHUNK_UNITS_BEFORE = -1 };
#define HEAP_HEAD(bucket) ((int32_t)(bucket))

static inline uint32_t chunk_link(const struct sys_heap *heap, uint32_t unit,
                                  int32_t index)
{
    return CHUNK_BY_FORM(chunk_halves(heap, unit)[index],
                         chunk_at(heap, unit)[index]);
}

static inline void chunk_set_link(struct sys_heap *heap, uint32_t unit,
                                  int32_t index, uint32_t value)
{
    if (HEAP_IS_COMPACT)
        chunk_halves(heap, unit)[index] = (chunk_half)value;
    else
        chunk_at(heap, unit)[index] = value;
}

static inline void *chunk_block(const struct sys_heap *heap, uint32_t unit)
{
    return (unsigned char *)chunk_at(heap, unit) + CHUNK_HEADER;
}

/* Return the usable bytes of a block in a chunk of `units`. */
static inline size_t chunk_room(uint32_t units)
{
    return (size_t)units * CHUNK_UNIT - CHUNK_HEADER;
}

/* Return the contents of a used chunk's header. */
static inline struct tally_heap_block chunk_charge(const struct sys_heap *heap,
                                                   uint32_t unit)
{
    uint32_t owner = chunk_owner(heap, unit);

    return (struct tally_heap_block){
        .site = owner >> CHUNK_SLACK_BITS,
        .requested =
            chunk_room(chunk_units(heap, unit)) - (owner & CHUNK_SLACK_MASK),
    };
}

/* Return the words taken by the list heads. */
static inline uint32_t heap_head_words(const struct sys_heap *heap)
{
    return CHUNK_BY_FORM((heap->bucket_count + 1) / 2, heap->bucket_count);
}

static inline chunk_word *heap_map(const struct sys_heap *heap)
{
    return chunk_at(heap, 0) + heap_head_words(heap);
}

static inline bool heap_map_has(const struct sys_heap *heap, uint32_t unit)
{
    return (heap_map(heap)[unit / 32] >> unit % 32 & 1) != 0;
}

static inline void heap_map_flip(const struct sys_heap *heap, uint32_t unit)
{
    heap_map(heap)[unit / 32] ^= UINT32_C(1) << unit % 32;
}

/* Return true if a chunk of `units` could lie there. */
static inline bool chunk_fits(const struct sys_heap *heap, uint32_t unit,
                              uint32_t units)
{
    return unit >= heap->first && unit < heap->end && units >= CHUNK_SMALLEST &&
           units <= heap->end - unit;
}

/* Return the list for chunks of `units`: sizes below 4 have their own lists;
   each power of two from 4 on has four (compact: two). */
static inline uint32_t heap_bucket(uint32_t units)
{
    uint32_t log, parts = CHUNK_BY_FORM(1, 2);

    if (units < 4)
        return units - CHUNK_SMALLEST;
    log = 31 - (uint32_t)__builtin_clz(units);
    return ((log - 2) << parts) +
           (units >> (log - parts) & ((1u << parts) - 1)) + 4 - CHUNK_SMALLEST;
}

/* Insert or remove a free chunk. Removing one that is in no list does
   nothing. */
void heap_list_push(struct sys_heap *heap, uint32_t unit);
void heap_list_unlink(struct sys_heap *heap, uint32_t unit);

/*
 * Find a free chunk that can hold `units` after a gap that aligns the block to
 * `align` bytes; return 0 if there is none. The chunk stays in its list; `*gap`
 * is 0 or the units of another chunk.
 */
uint32_t heap_list_find(struct sys_heap *heap, uint32_t units, size_t align,
                        uint32_t *gap);

/*
 * Return the units of the largest free chunk, or 0. It examines `tries` chunks
 * of the highest list; if that has more, the largest may have up to a quarter
 * more units.
 */
uint32_t heap_list_largest(const struct sys_heap *heap, uint32_t tries);

/* Return true if header, neighbours and links agree: checks of constant cost
   that prevent writes through a damaged word. */
bool heap_is_sound_free(const struct sys_heap *heap, uint32_t unit);

/* Return the chunk of a live block, or report a fault and return 0. */
uint32_t heap_block_unit(struct sys_heap *heap, const void *mem);

/* Allocate or resize without charging; `bytes` is not 0, `ptr` is not NULL.
   `*before` is the old charge of the block, zero if it is not a block. */
void *heap_take(struct sys_heap *heap, size_t align, size_t bytes);
void *heap_change(struct sys_heap *heap, void *ptr, size_t align, size_t bytes,
                  struct tally_heap_block *before);

/* Charge `mem`, of `bytes`, to the tag in force, and end its old charge. */
void heap_charge(struct sys_heap *heap, void *mem, size_t bytes,
                 const struct tally_heap_block *before);

/* Count a fault and call the handler. */
void heap_report_fault(struct sys_heap *heap, const void *mem,
                       enum tally_heap_fault fault);

/* Return true if `align` is 0 or a power of two; otherwise report a fault. */
bool heap_is_alignment(struct sys_heap *heap, size_t align);

/* Enter a heap in the list of all, once, and in the ledger. */
void heap_registry_enter(struct sys_heap *heap, enum ledger_region_kind kind);

/* Name a heap for the definition at `by`, unless a definition in another object
   has named it; or forget it when the object of the definition goes. */
void heap_define(struct sys_heap *heap, const void *by, const char *name);
void heap_leave(struct sys_heap *heap, const void *by);

/* Initialise a heap, and enter it in the list of all. */
void heap_open(struct sys_heap *heap, void *mem, size_t bytes,
               enum ledger_region_kind kind);

/* Entry in the list of all heaps; it outlives the heap's memory. */
struct tally_heap_entry {
    struct tally_listed place; /* first: the list points here */
    const char *name;
    const void *by;               /* its definition, or NULL */
    struct ledger_region *region; /* its ledger record; NULL: none */
    uint32_t units, used, most;   /* figures of the heap, as last published */
    enum ledger_region_kind kind;
};

/* Return the first entry in the list of all. Under the port's lock. */
const struct tally_heap_entry *heap_registry_first(void);

static inline const struct tally_heap_entry *
heap_registry_next(const struct tally_heap_entry *entry)
{
    return (const struct tally_heap_entry *)(const void *)entry->place.next;
}

/* Write the figures into the ledger (heap_lists.c). */
void heap_publish_now(const struct sys_heap *heap);

static inline void heap_publish(const struct sys_heap *heap)
{
    struct tally_heap_entry *entry = heap->entry;

    if (entry == NULL)
        return;
    __atomic_store_n(&entry->used, heap->used, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->most, heap->most, __ATOMIC_RELAXED);
    if (TALLY_HAS(OS) && __builtin_expect(entry->region != NULL, 0))
        heap_publish_now(heap);
}

/* Return true if any listener is registered: a hint at the cost of one load. */
bool heap_has_listeners(void);
