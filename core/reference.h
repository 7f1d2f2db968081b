/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - what is kept beside a block: whose it is, and how large
 *
 * A shadow holds one word for each granule of memory (16 bytes, or 8 behind
 * allocators with smaller blocks). A block owns the words of its granules; the
 * first few say
 *
 *     full, 32-bit words                      compressed, 16-bit words
 *
 *     0   | 0 | size + 1: 4 | id: 27 |        0   | id: 16 |
 *         or size + 1 = 0 and
 *     1   | 1 | size: 31 |                    1   | size: 16 |
 *         or all ones and                         or all ones and
 *     2   | 1 | size, low 31 bits |           2-5 | size, 16 bits each |
 *     3   | 1 | size, next 31 bits |
 *
 * A zero first word is a block that nobody recorded.
 *
 * Invariants, checked by test_reference.c:
 *
 *   I1  in a full word the top bit tells a size from a reference, so a pointer
 *       into the middle of a block is never taken for a block
 *   I2  what a block writes lies within its own granules: a size up to 14 takes
 *       one word, an escape is used only by blocks that have the room
 *   I3  in compressed words the size is cleared with the reference; full words
 *       leave it, for it cannot be mistaken
 */
#ifndef TALLY_CORE_REFERENCE_H
#define TALLY_CORE_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#define REFERENCE_SIZE_BIT    UINT32_C(0x80000000)
#define REFERENCE_ID_BITS     27
#define REFERENCE_ID_MASK     ((UINT32_C(1) << REFERENCE_ID_BITS) - 1)
#define REFERENCE_SMALL_LIMIT 14 /* largest size kept in the first word */
#define REFERENCE_ESCAPE      UINT32_C(0xffffffff)

#define REFERENCE_COMPRESSED_LIMIT  UINT32_C(0xffff) /* largest id */
#define REFERENCE_COMPRESSED_ESCAPE UINT16_C(0xffff)

/*
 * Both words in one store and one load, for blocks that have two granules
 * whatever their size. reference_pair_is_plain: recorded, its size in word 1.
 */
static inline uint64_t reference_pair(uint32_t id, size_t size)
{
    return ((uint64_t)size | REFERENCE_SIZE_BIT) << 32 | id;
}

static inline int reference_pair_is_plain(uint64_t pair)
{
    return (uint32_t)pair - 1 < REFERENCE_ID_MASK &&
           pair >> 32 != REFERENCE_ESCAPE;
}

/* Words that a block may write, counted from its first. */
enum { REFERENCE_WORDS = 6 };

struct reference {
    uint32_t id; /* 0: not recorded */
    size_t size; /* bytes, as requested */
};

static inline void reference_put(uint32_t *words, uint32_t id, size_t size)
{
    if (size <= REFERENCE_SMALL_LIMIT) {
        words[0] = id | (uint32_t)(size + 1) << REFERENCE_ID_BITS;
        return;
    }
    words[0] = id;
    if (__builtin_expect(size < (REFERENCE_SIZE_BIT - 1), 1)) {
        words[1] = REFERENCE_SIZE_BIT | (uint32_t)size;
        return;
    }
    words[1] = REFERENCE_ESCAPE;
    words[2] = REFERENCE_SIZE_BIT | (uint32_t)size;
    words[3] = REFERENCE_SIZE_BIT | (uint32_t)((uint64_t)size >> 31);
}

/* The reference at `words`; id 0 when there is none. */
static inline struct reference reference_get(const uint32_t *words)
{
    uint32_t word = words[0];
    uint32_t id = word & REFERENCE_ID_MASK;
    uint32_t small = word >> REFERENCE_ID_BITS;

    if (word == 0 || (word & REFERENCE_SIZE_BIT) != 0)
        return (struct reference){ 0, 0 };
    if (small != 0)
        return (struct reference){ id, small - 1 };
    if (__builtin_expect(words[1] != REFERENCE_ESCAPE, 1))
        return (struct reference){ id, words[1] & ~REFERENCE_SIZE_BIT };

    uint64_t low = words[2] & ~REFERENCE_SIZE_BIT;
    uint64_t high = words[3] & ~REFERENCE_SIZE_BIT;

    return (struct reference){ id, (size_t)(high << 31 | low) };
}

static inline void reference_clear(uint32_t *words)
{
    words[0] = 0;
}

void reference_put_compressed(uint16_t *words, uint32_t id, size_t size);
struct reference reference_get_compressed(const uint16_t *words);
void reference_clear_compressed(uint16_t *words);

#endif /* TALLY_CORE_REFERENCE_H */
