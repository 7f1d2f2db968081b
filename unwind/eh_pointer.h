/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_pointer.h - pointers as .eh_frame and .eh_frame_hdr encode them
 *
 * DW_EH_PE_* of the Linux Standard Base, section 10.5.1.
 */
#ifndef TALLY_UNWIND_EH_POINTER_H
#define TALLY_UNWIND_EH_POINTER_H

#include <stdint.h>

#include "unwind/cfi_bytes.h"

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

#endif /* TALLY_UNWIND_EH_POINTER_H */
