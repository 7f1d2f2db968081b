/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - little-endian words out of bytes that may change underneath
 *
 * Each function reads its word once, at any alignment and on any byte order.
 * The bytes may be a live mapping: the empty asm hides where the value came
 * from, so that no compiler reads it a second time after it was checked.
 *
 * The builtin is a plain load even where -ffreestanding makes memcpy a call.
 */
#ifndef TALLY_FORMAT_BYTES_H
#define TALLY_FORMAT_BYTES_H

#include <stdint.h>

static inline uint16_t read_u16le(const unsigned char *bytes)
{
    uint16_t value;

    __builtin_memcpy(&value, bytes, sizeof value);
    __asm__ volatile("" : "+r"(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap16(value);
#endif
    return value;
}

static inline uint32_t read_u32le(const unsigned char *bytes)
{
    uint32_t value;

    __builtin_memcpy(&value, bytes, sizeof value);
    __asm__ volatile("" : "+r"(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline uint64_t read_u64le(const unsigned char *bytes)
{
    uint64_t value;

    __builtin_memcpy(&value, bytes, sizeof value);
    __asm__ volatile("" : "+r"(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* A word of 1, 2, 4 or 8 bytes, which is a constant at every call. */
static inline __attribute__((always_inline)) uint64_t
get_word_le(const unsigned char *bytes, unsigned size)
{
    return size == 8   ? read_u64le(bytes)
           : size == 4 ? read_u32le(bytes)
           : size == 2 ? read_u16le(bytes)
                       : *bytes;
}

/* For words that are stored last: what they vouch for is read after them. */
static inline uint32_t read_u32le_acquire(const unsigned char *bytes)
{
    uint32_t value = read_u32le(bytes);

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return value;
}

static inline uint64_t read_u64le_acquire(const unsigned char *bytes)
{
    uint64_t value = read_u64le(bytes);

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return value;
}

#endif /* TALLY_FORMAT_BYTES_H */
