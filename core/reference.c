/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c - the compressed form; the full one is inline in reference.h */
#include "core/reference.h"

enum { PIECES = 4, PIECE_BITS = 16 };

void reference_put_compressed(uint16_t *words, uint32_t id, size_t size)
{
    words[0] = (uint16_t)id;
    if (size < REFERENCE_COMPRESSED_ESCAPE) {
        words[1] = (uint16_t)size;
        return;
    }
    words[1] = REFERENCE_COMPRESSED_ESCAPE;
    for (unsigned i = 0; i < PIECES; i++)
        words[2 + i] = (uint16_t)((uint64_t)size >> (i * PIECE_BITS));
}

struct reference reference_get_compressed(const uint16_t *words)
{
    struct reference reference = { words[0], 0 };
    uint64_t size = 0;

    if (reference.id == 0)
        return reference;
    if (words[1] != REFERENCE_COMPRESSED_ESCAPE) {
        reference.size = words[1];
        return reference;
    }
    for (unsigned i = 0; i < PIECES; i++)
        size |= (uint64_t)words[2 + i] << (i * PIECE_BITS);
    reference.size = (size_t)size;
    return reference;
}

void reference_clear_compressed(uint16_t *words)
{
    unsigned used = words[1] == REFERENCE_COMPRESSED_ESCAPE ? 2 + PIECES : 2;

    for (unsigned i = 0; i < used; i++)
        words[i] = 0;
}
