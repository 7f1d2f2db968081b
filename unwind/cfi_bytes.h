/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_bytes.h - reading DWARF's numbers and pointers out of mapped bytes
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

/*
 * Pointers as .eh_frame and .eh_frame_hdr encode them: DW_EH_PE_* of the Linux
 * Standard Base, section 10.5.1.
 */
enum {
    EH_ABSOLUTE = 0x00, /* 8 bytes */
    EH_ULEB = 0x01,
    EH_U2 = 0x02,
    EH_U4 = 0x03,
    EH_U8 = 0x04,
    EH_SLEB = 0x09,
    EH_S2 = 0x0a,
    EH_S4 = 0x0b,
    EH_S8 = 0x0c,
    EH_FORMAT = 0x0f,
    EH_RELATIVE_TO_ITSELF = 0x10,
    EH_RELATIVE_TO_TABLE = 0x30,
    EH_RELATION = 0x70,
    EH_INDIRECT = 0x80,
    EH_OMITTED = 0xff,
};

/*
 * The next pointer; `table` is what EH_RELATIVE_TO_TABLE counts from. What
 * cannot be read sets is_bad. Not followed when it is EH_INDIRECT.
 */
static inline uintptr_t eh_pointer_read(struct cfi_bytes *bytes,
                                        uint8_t encoding, uintptr_t table)
{
    uintptr_t self = (uintptr_t)bytes->at;
    uintptr_t value = 0;

    switch (encoding & EH_FORMAT) {
    case EH_ABSOLUTE:
    case EH_U8:
    case EH_S8:
        value = cfi_unsigned(bytes, 8);
        break;
    case EH_ULEB:
        value = cfi_uleb(bytes);
        break;
    case EH_SLEB:
        value = (uintptr_t)cfi_sleb(bytes);
        break;
    case EH_U2:
        value = cfi_unsigned(bytes, 2);
        break;
    case EH_S2:
        value = (uintptr_t)cfi_signed(bytes, 2);
        break;
    case EH_U4:
        value = cfi_unsigned(bytes, 4);
        break;
    case EH_S4:
        value = (uintptr_t)cfi_signed(bytes, 4);
        break;
    default:
        bytes->is_bad = true;
    }
    switch (encoding & EH_RELATION) {
    case 0:
        return value;
    case EH_RELATIVE_TO_ITSELF:
        return self + value;
    case EH_RELATIVE_TO_TABLE:
        return table + value;
    default:
        bytes->is_bad = true;
        return 0;
    }
}

#endif /* TALLY_UNWIND_CFI_BYTES_H */
