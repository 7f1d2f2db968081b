/* SPDX-License-Identifier: Apache-2.0 */
/* eh_frame.c - from an address to its FDE and CIE; see cfi.h */
#include "unwind/cfi.h"

#include "ports/posix/page_map.h"

/* length of an entry with 64-bit offsets, which no compiler writes */
#define LONG_ENTRY UINT32_C(0xffffffff)

/* bytes of a header or an entry that are read before its length is known */
enum { FIRST_BYTES = 20 };

static struct cfi_bytes bytes_from(uintptr_t at, uintptr_t start, uintptr_t end)
{
    struct cfi_bytes bytes = { NULL, NULL, true };

    if (at < start || at >= end ||
        !readable_file(at, end - at < FIRST_BYTES ? end - at : FIRST_BYTES))
        return bytes;
    bytes.at = (const uint8_t *)at;
    bytes.end = (const uint8_t *)end;
    bytes.is_bad = false;
    return bytes;
}

/* Return the body of the entry at `at`, behind its length. */
static struct cfi_bytes read_entry(const struct eh_frame_file *file,
                                   uintptr_t at)
{
    struct cfi_bytes bytes =
        bytes_from(at, file->frames_start, file->frames_end);
    uint32_t length = bytes.is_bad ? 0 : (uint32_t)cfi_unsigned(&bytes, 4);

    if (length == 0 || length == LONG_ENTRY || length > cfi_left(&bytes) ||
        (((uintptr_t)bytes.at + length - 1) / PAGE_MAP_PAGE !=
             at / PAGE_MAP_PAGE &&
         !readable_file((uintptr_t)bytes.at, length)))
        bytes.is_bad = true;
    else
        bytes.end = bytes.at + length;
    return bytes;
}

/* Read the augmentation data, whose letters "zPLRSB" give its order. */
static void read_augmentation(struct cfi_bytes *bytes, const char *letters,
                              struct cfi_entry *entry)
{
    uint64_t size = cfi_uleb(bytes);
    struct cfi_bytes data = *bytes;

    cfi_skip(bytes, size);
    data.end = bytes->at;
    for (; *letters != '\0'; letters++) {
        switch (*letters) {
        case 'R':
            entry->encoding = (uint8_t)cfi_unsigned(&data, 1);
            break;
        case 'P':
            eh_pointer_read(&data, (uint8_t)cfi_unsigned(&data, 1) & EH_FORMAT,
                            0);
            break;
        case 'L':
            cfi_unsigned(&data, 1);
            break;
        case 'S':
            entry->is_signal = true;
            break;
        case 'B': /* signed pointers of another processor */
            break;
        default:
            bytes->is_bad = true;
            return;
        }
    }
    bytes->is_bad |= data.is_bad;
}

static bool read_cie(const struct eh_frame_file *file, uintptr_t at,
                     struct cfi_entry *entry)
{
    struct cfi_bytes bytes = read_entry(file, at);
    const char *letters;
    uint64_t version, return_register;

    *entry = (struct cfi_entry){ .encoding = DW_EH_PE_absptr };
    if (bytes.is_bad || cfi_unsigned(&bytes, 4) != 0)
        return false;
    version = cfi_unsigned(&bytes, 1);
    letters = (const char *)bytes.at;
    while (cfi_unsigned(&bytes, 1) != 0)
        ;
    entry->code_align = cfi_uleb(&bytes);
    entry->data_align = cfi_sleb(&bytes);
    return_register = version == 1 ? cfi_unsigned(&bytes, 1) : cfi_uleb(&bytes);
    if (bytes.is_bad || (version != 1 && version != 3) ||
        return_register != CFI_RETURN)
        return false;
    entry->is_augmented = letters[0] == 'z';
    if (entry->is_augmented)
        read_augmentation(&bytes, letters + 1, entry);
    else if (letters[0] != '\0')
        return false;
    entry->initial = bytes;
    entry->common = bytes.is_bad ? 0 : at;
    return !bytes.is_bad;
}

static bool read_fde(const struct eh_frame_file *file, uintptr_t fde,
                     struct cfi_entry *entry)
{
    struct cfi_bytes bytes = read_entry(file, fde);
    uintptr_t cie;

    if (bytes.is_bad)
        return false;
    cie = (uintptr_t)bytes.at;
    cie -= cfi_unsigned(&bytes, 4); /* counted backwards from itself */
    if (cie == fde + 4 || cie == 0 ||
        (cie != entry->common && !read_cie(file, cie, entry)) ||
        (entry->encoding & DW_EH_PE_indirect) != 0)
        return false;
    entry->start = eh_pointer_read(&bytes, entry->encoding, file->header);
    entry->end =
        entry->start + eh_pointer_read(&bytes, entry->encoding & EH_FORMAT, 0);
    if (entry->is_augmented)
        cfi_skip(&bytes, cfi_uleb(&bytes));
    entry->own = bytes;
    return !bytes.is_bad && entry->start < entry->end;
}

/* Return the last row at or before `address`, or NULL. */
static const struct eh_frame_row *search(const struct eh_frame_file *file,
                                         intptr_t address)
{
    const struct eh_frame_row *rows = file->rows;
    uint64_t low = 0, high = file->row_count;
    uintptr_t page = 0; /* page checked last */

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uintptr_t at = (uintptr_t)&rows[middle];

        if (at / PAGE_MAP_PAGE != page && !readable_file(at, 1))
            return NULL;
        page = at / PAGE_MAP_PAGE;
        if (rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : &rows[low - 1];
}

uintptr_t eh_frame_open(struct eh_frame_file *file)
{
    struct cfi_bytes bytes = bytes_from(file->header, file->start, file->end);
    uint64_t version = cfi_unsigned(&bytes, 1);
    uint8_t frame_encoding = (uint8_t)cfi_unsigned(&bytes, 1);
    uint8_t count_encoding = (uint8_t)cfi_unsigned(&bytes, 1);
    uint8_t table_encoding = (uint8_t)cfi_unsigned(&bytes, 1);
    uintptr_t frames;

    if (bytes.is_bad || version != 1 ||
        table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
        frame_encoding == DW_EH_PE_omit || count_encoding == DW_EH_PE_omit)
        return 0;
    frames = eh_pointer_read(&bytes, frame_encoding, file->header);
    file->row_count = eh_pointer_read(&bytes, count_encoding, file->header);
    file->rows = (const void *)bytes.at;
    if (bytes.is_bad ||
        file->row_count > cfi_left(&bytes) / sizeof *file->rows ||
        (uintptr_t)bytes.at % _Alignof(struct eh_frame_row) != 0)
        return 0;
    return frames;
}

bool eh_frame_find(const struct eh_frame_file *file, uintptr_t address,
                   struct cfi_entry *entry)
{
    const struct eh_frame_row *row =
        search(file, (intptr_t)(address - file->header));

    return row != NULL &&
           read_fde(file, file->header + (uintptr_t)(intptr_t)row->fde,
                    entry) &&
           address >= entry->start && address < entry->end;
}
