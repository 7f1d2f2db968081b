/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_bytes.h - reading DWARF's numbers out of mapped bytes
 *
 * A cursor never passes its end: what would, sets `is_bad` and reads as 0, so
 * that a reader may look once, at its end. Nothing is copied.
 */
#ifndef TALLY_UNWIND_CFI_BYTES_H
#define TALLY_UNWIND_CFI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cfi_bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool is_bad;
};

static inline size_t cfi_left(const struct cfi_bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

/* The next `size` bytes, at most 8, as a little-endian number. */
static inline uint64_t cfi_unsigned(struct cfi_bytes *bytes, size_t size)
{
    uint64_t value = 0;

    if (size > cfi_left(bytes)) {
        bytes->is_bad = true;
        bytes->at = bytes->end;
        return 0;
    }
    memcpy(&value, bytes->at, size);
    bytes->at += size;
    return value;
}

static inline int64_t cfi_signed(struct cfi_bytes *bytes, size_t size)
{
    unsigned unused_bits = 64 - 8 * (unsigned)size;

    return (int64_t)(cfi_unsigned(bytes, size) << unused_bits) >> unused_bits;
}

static inline void cfi_skip(struct cfi_bytes *bytes, uint64_t size)
{
    if (size > cfi_left(bytes)) {
        bytes->is_bad = true;
        size = cfi_left(bytes);
    }
    bytes->at += size;
}

static inline uint64_t cfi_uleb(struct cfi_bytes *bytes)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = cfi_unsigned(bytes, 1);

        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    bytes->is_bad = true;
    return 0;
}

static inline int64_t cfi_sleb(struct cfi_bytes *bytes)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = cfi_unsigned(bytes, 1);

        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            if ((byte & 0x40) != 0 && shift + 7 < 64)
                value |= ~UINT64_C(0) << (shift + 7);
            return (int64_t)value;
        }
    }
    bytes->is_bad = true;
    return 0;
}

#endif /* TALLY_UNWIND_CFI_BYTES_H */
