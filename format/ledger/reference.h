/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - encoding of a block's site and size in the shadow
 *
 * A shadow holds one word for each granule of memory (16 bytes, or 8 for
 * allocators with smaller blocks). A block owns the words of its granules; the
 * first ones hold
 *
 *     full, 32-bit words                      compressed, 16-bit words
 *
 *     0   | 1 | form: 4 | id: 27 |            0   | id: 16 |
 *     1   | 0 | size: 31 |                    1   | 1 | size: 15 |
 *     2   | 0 | size, next 31 bits |          2-5 | 1 | size, 15 bits each |
 *
 *     form 0      size in word 1              a size that is all ones is in
 *     form 1-14   size is form - 1            words 2 to 5
 *     form 15     size in words 1 and 2
 *
 * A zero first word means that the block was not recorded.
 *
 * Invariants, checked by test_reference.c:
 *
 *   I1  in a full word the top bit distinguishes a reference from a size, so a
 *       pointer into the middle of a block is never taken for a block
 *   I2  a block writes only within its own granules: reference_put uses one
 *       word for a size up to 13, two below 2 GiB, three above; if every block
 *       has two granules, a writer may always write two
 *   I3  the size is cleared with the reference, and is 0 only in a full word of
 *       an empty block: if a block's words are 0, no other block uses them. For
 *       that one, a reference in place of its size changes nothing
 *   I4  while no id exceeds 15 bits, the top bit distinguishes a size from a
 *       reference in compressed words, too
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"

#define REFERENCE_BIT         UINT32_C(0x80000000)
#define REFERENCE_ID_BITS     27
#define REFERENCE_ID_MASK     ((UINT32_C(1) << REFERENCE_ID_BITS) - 1)
#define REFERENCE_FORM_MASK   15u
#define REFERENCE_FORM_LARGE  15u
#define REFERENCE_SMALL_LIMIT 13 /* largest size in the first word */
#define REFERENCE_SIZE_LIMIT  (REFERENCE_BIT - 1) /* largest size in one word */

#define REFERENCE_COMPRESSED_LIMIT  UINT32_C(0xffff) /* largest id */
#define REFERENCE_COMPRESSED_SIZE   UINT16_C(0x8000) /* in words of a size */
#define REFERENCE_COMPRESSED_ESCAPE UINT16_C(0x7fff)

/* Largest number of words that a block may write. */
enum { REFERENCE_WORDS = 6 };

struct reference {
    uint32_t id; /* 0: not recorded */
    size_t size; /* requested bytes */
};

static inline int reference_is_there(uint32_t word)
{
    return (int32_t)word < 0;
}

static inline void reference_put(uint32_t *words, uint32_t id, size_t size)
{
    uint32_t form = 0;

    if (size <= REFERENCE_SMALL_LIMIT) {
        form = (uint32_t)size + 1;
    } else {
        words[1] = (uint32_t)size & ~REFERENCE_BIT;
        if (size > REFERENCE_SIZE_LIMIT) {
            form = REFERENCE_FORM_LARGE;
            words[2] = (uint32_t)((uint64_t)size >> 31) & ~REFERENCE_BIT;
        }
    }
    words[0] = REFERENCE_BIT | form << REFERENCE_ID_BITS | id;
    INVARIANT(I1, form == size + 1 || !reference_is_there(words[1]));
    INVARIANT(I2,
              (form == REFERENCE_FORM_LARGE) == (size > REFERENCE_SIZE_LIMIT));
    INVARIANT(I3, form == size + 1 || words[1] != 0 ||
                      form == REFERENCE_FORM_LARGE);
}

/* Return the reference at `words`; id 0 if there is none. */
static inline struct reference reference_get(const uint32_t *words)
{
    uint32_t word = words[0];
    uint32_t form = word >> REFERENCE_ID_BITS & REFERENCE_FORM_MASK;
    struct reference reference = { word & REFERENCE_ID_MASK, 0 };

    if (!reference_is_there(word))
        return (struct reference){ 0, 0 };
    if (form == 0)
        reference.size = reference_is_there(words[1]) ? 0 : words[1];
    else if (form == REFERENCE_FORM_LARGE)
        reference.size = (size_t)((uint64_t)words[2] << 31 | words[1]);
    else
        reference.size = form - 1;
    return reference;
}

enum { REFERENCE_PIECES = 4, REFERENCE_PIECE_BITS = 15 };

/* Not inline: the callers have no free registers. */
static __attribute__((noinline, unused)) void
reference_put_compressed(uint16_t *words, uint32_t id, size_t size)
{
    words[0] = (uint16_t)id;
    if (size < REFERENCE_COMPRESSED_ESCAPE) {
        words[1] = (uint16_t)(REFERENCE_COMPRESSED_SIZE | size);
        return;
    }
    words[1] = REFERENCE_COMPRESSED_SIZE | REFERENCE_COMPRESSED_ESCAPE;
    for (unsigned i = 0; i < REFERENCE_PIECES; i++)
        words[2 + i] = (uint16_t)(REFERENCE_COMPRESSED_SIZE |
                                  (uint64_t)size >> (i * REFERENCE_PIECE_BITS));
    INVARIANT(I4, words[1] >= REFERENCE_COMPRESSED_SIZE);
}

static __attribute__((noinline, unused)) struct reference
reference_get_compressed(const uint16_t *words)
{
    struct reference reference = { words[0], 0 };
    uint64_t size = 0;

    if (reference.id == 0)
        return reference;
    reference.size = words[1] & REFERENCE_COMPRESSED_ESCAPE;
    if (reference.size != REFERENCE_COMPRESSED_ESCAPE)
        return reference;
    for (unsigned i = 0; i < REFERENCE_PIECES; i++)
        size |= (uint64_t)(words[2 + i] & REFERENCE_COMPRESSED_ESCAPE)
                << (i * REFERENCE_PIECE_BITS);
    reference.size = (size_t)size;
    return reference;
}
