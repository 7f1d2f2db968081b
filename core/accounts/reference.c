/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c - the compressed form; the full one is inline in reference.h */
#include "core/accounts/reference.h"

enum { PIECES = 4, PIECE_BITS = 15 };

void reference_put_compressed(uint16_t *words, uint32_t id, size_t size)
{
    words[0] = (uint16_t)id;
    if (size < REFERENCE_COMPRESSED_ESCAPE) {
        words[1] = (uint16_t)(REFERENCE_COMPRESSED_SIZE | size);
        return;
    }
    words[1] = REFERENCE_COMPRESSED_SIZE | REFERENCE_COMPRESSED_ESCAPE;
    for (unsigned i = 0; i < PIECES; i++)
        words[2 + i] = (uint16_t)(REFERENCE_COMPRESSED_SIZE |
                                  (uint64_t)size >> (i * PIECE_BITS));
    INVARIANT(I4, words[1] >= REFERENCE_COMPRESSED_SIZE);
}

struct reference reference_get_compressed(const uint16_t *words)
{
    struct reference reference = { words[0], 0 };
    uint64_t size = 0;

    if (reference.id == 0)
        return reference;
    reference.size = words[1] & REFERENCE_COMPRESSED_ESCAPE;
    if (reference.size != REFERENCE_COMPRESSED_ESCAPE)
        return reference;
    for (unsigned i = 0; i < PIECES; i++)
        size |= (uint64_t)(words[2 + i] & REFERENCE_COMPRESSED_ESCAPE)
                << (i * PIECE_BITS);
    reference.size = (size_t)size;
    return reference;
}
