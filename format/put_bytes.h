/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put_bytes.h - words into bytes, little-endian, at any alignment
 *
 * Each function returns where the next word goes. `size` is a constant at every
 * call, so that nothing remains of the choice.
 */
#ifndef TALLY_FORMAT_PUT_BYTES_H
#define TALLY_FORMAT_PUT_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline __attribute__((always_inline)) unsigned char *
put_word_le(unsigned char *out, uint64_t value, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value) >> (64 - 8 * size);
#endif
    if (size == 8) {
        __builtin_memcpy(out, &value, 8);
    } else if (size == 4) {
        uint32_t word = (uint32_t)value;

        __builtin_memcpy(out, &word, 4);
    } else if (size == 2) {
        uint16_t word = (uint16_t)value;

        __builtin_memcpy(out, &word, 2);
    } else {
        *out = (unsigned char)value;
    }
    return out + size;
}

#endif /* TALLY_FORMAT_PUT_BYTES_H */
