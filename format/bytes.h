/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - read and write little-endian words, at any alignment and byte order
 *
 * Each word is read once. The bytes may be a live mapping: the empty asm hides
 * the origin of the value, so that the compiler cannot read it again after a
 * check.
 *
 * The builtin is a plain load even where -ffreestanding makes memcpy a call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE_ENDIAN_OF(bits, value) __builtin_bswap##bits(value)
#else
#define LITTLE_ENDIAN_OF(bits, value) (value)
#endif

/* read_u16le(), read_u32le() and read_u64le(). */
#define READ_WORD(bits)                                                       \
    static inline uint##bits##_t read_u##bits##le(const unsigned char *bytes) \
    {                                                                         \
        uint##bits##_t value;                                                 \
                                                                              \
        __builtin_memcpy(&value, bytes, sizeof value);                        \
        __asm__ volatile("" : "+r"(value));                                   \
        return LITTLE_ENDIAN_OF(bits, value);                                 \
    }
READ_WORD(16)
READ_WORD(32)
READ_WORD(64)

/* Read a word of 1, 2, 4 or 8 bytes; `size` is a constant at every call. */
static inline __attribute__((always_inline)) uint64_t
get_word_le(const unsigned char *bytes, size_t size)
{
    return size == 8   ? read_u64le(bytes)
           : size == 4 ? read_u32le(bytes)
           : size == 2 ? read_u16le(bytes)
                       : *bytes;
}

/* Write a word; return the address after it. */
static inline __attribute__((always_inline)) unsigned char *
put_word_le(unsigned char *out, uint64_t value, size_t size)
{
    value = LITTLE_ENDIAN_OF(64, value);
    __builtin_memcpy(out, &value, size);
    return out + size;
}
