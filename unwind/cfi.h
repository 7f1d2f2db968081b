/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi.h - call frame information: from an address to a row, and to a rule
 *
 * Bytes are read in place, in the loader's mappings. Nothing is copied or
 * allocated, and the bytes are not trusted. A cursor never passes its end: a
 * read beyond it sets `is_bad` and returns 0, so a reader may check once, at
 * the end.
 */
#pragma once

#include <dwarf.h>
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

/* Read the next `size` bytes, at most 8, as a little-endian number. A copy of
   unknown size would be a call. */
static inline uint64_t cfi_unsigned(struct cfi_bytes *bytes, size_t size)
{
    uint64_t value = 0;

    if (size > cfi_left(bytes)) {
        bytes->is_bad = true;
        bytes->at = bytes->end;
        return 0;
    }
    for (size_t i = size; i-- > 0;)
        value = value << 8 | bytes->at[i];
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

static inline uint64_t cfi_leb(struct cfi_bytes *bytes, bool is_signed)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = cfi_unsigned(bytes, 1);

        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64)
                value |= ~UINT64_C(0) << (shift + 7);
            return value;
        }
    }
    bytes->is_bad = true;
    return 0;
}

static inline uint64_t cfi_uleb(struct cfi_bytes *bytes)
{
    return cfi_leb(bytes, false);
}

static inline int64_t cfi_sleb(struct cfi_bytes *bytes)
{
    return (int64_t)cfi_leb(bytes, true);
}

enum { EH_FORMAT = 0x0f, EH_RELATION = 0x70 };

/*
 * Read the next pointer: DW_EH_PE_* of the Linux Standard Base, section 10.5.1.
 * DW_EH_PE_datarel counts from `table`. Set is_bad if it cannot be read.
 * DW_EH_PE_indirect is not followed.
 */
static inline uintptr_t eh_pointer_read(struct cfi_bytes *bytes,
                                        uint8_t encoding, uintptr_t table)
{
    uintptr_t self = (uintptr_t)bytes->at;
    uintptr_t value = 0;
    unsigned form = encoding & 0x07;
    bool is_signed = (encoding & DW_EH_PE_signed) != 0;
    size_t size = form == 0 ? 8 : (size_t)1 << (form - 1);

    if (form > 4 || (form == 0 && is_signed))
        bytes->is_bad = true;
    else if (form == 1)
        value = is_signed ? (uintptr_t)cfi_sleb(bytes) : cfi_uleb(bytes);
    else
        value = is_signed ? (uintptr_t)cfi_signed(bytes, size)
                          : cfi_unsigned(bytes, size);
    switch (encoding & EH_RELATION) {
    case 0:
        return value;
    case DW_EH_PE_pcrel:
        return self + value;
    case DW_EH_PE_datarel:
        return table + value;
    default:
        bytes->is_bad = true;
        return 0;
    }
}

/*
 * One row of the table that DWARF call frame information describes (DWARF 5,
 * section 6.4): the places of the caller's registers at one instruction.
 * Registers have the numbers of the x86-64 psABI, figure 3.36.
 */
enum cfi_register {
    CFI_RBX = 3,
    CFI_RBP = 6,
    CFI_RSP = 7,
    CFI_R12 = 12,
    CFI_R15 = 15,
    CFI_RETURN = 16, /* return address */
    CFI_REGISTERS = 17,
};

enum cfi_how {
    CFI_SAME = 0,      /* unchanged since the callee */
    CFI_UNDEFINED,     /* lost; for CFI_RETURN: no caller */
    CFI_AT_OFFSET,     /* in memory at CFA + offset */
    CFI_IS_OFFSET,     /* CFA + offset itself */
    CFI_IN_REGISTER,   /* register `number`; for the CFA: + offset */
    CFI_AT_EXPRESSION, /* in memory at the expression's value */
    CFI_IS_EXPRESSION, /* the expression's value */
};

struct cfi_place {
    uint8_t how;    /* enum cfi_how */
    uint8_t number; /* register */
    uint16_t size;  /* length of the expression, in bytes */
    int32_t offset;
    const uint8_t *expression;
};

struct cfi_row {
    struct cfi_place cfa; /* CFI_IN_REGISTER or CFI_IS_EXPRESSION */
    struct cfi_place registers[CFI_REGISTERS];
    bool is_signal; /* the frame's address is no return address */
};

struct eh_frame_row {
    int32_t address; /* both relative to the header's start, in bytes */
    int32_t fde;
};

/* a loaded file, whose table and frames may lie in different segments */
struct eh_frame_file {
    uintptr_t start, end;               /* readable range with the header */
    uintptr_t header;                   /* .eh_frame_hdr, within it; 0: none */
    uintptr_t frames_start, frames_end; /* readable range with .eh_frame */
    const struct eh_frame_row *rows;    /* sorted; in the header */
    uint64_t row_count;
    uintptr_t file_end; /* behind all its segments */
};

/* result of eh_frame_find() for one address */
struct cfi_entry {
    uintptr_t start, end; /* code that it covers */
    struct cfi_bytes own; /* instructions of the FDE */

    /* contents of the CIE, which are kept for the next FDE */
    uintptr_t common; /* address of the CIE; 0: unknown */
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* DW_EH_PE_* of addresses */
    bool is_signal;
    bool is_augmented;
    struct cfi_bytes initial; /* instructions of the CIE */
};

enum { CFI_REMEMBERED = 8 };

/* 6 KiB of scratch memory: too large for the program's stack */
struct cfi_machine {
    struct eh_frame_file file;
    struct cfi_entry entry;
    struct cfi_row row;     /* the result */
    struct cfi_row first;   /* the row after the CIE's instructions ... */
    uintptr_t first_common; /* ... of this CIE; 0: none */
    struct cfi_row remembered[CFI_REMEMBERED];
};

/* Forget what was kept of files: others may lie there now. */
static inline void cfi_forget(struct cfi_machine *machine)
{
    machine->file.header = 0;
    machine->entry.common = machine->first_common = 0;
}

/* Find the sorted table in the file's header (Linux Standard Base, section
   10.6). Return the start of .eh_frame, or 0 if there is no such table. */
uintptr_t eh_frame_open(struct eh_frame_file *file);

/* Find the entry of `address`. Return false if there is none. *entry is zeros
   or an earlier result from the same files. */
bool eh_frame_find(const struct eh_frame_file *file, uintptr_t address,
                   struct cfi_entry *entry);

/* Find machine->entry. Its CIE is read again unless its instructions were run:
   they may be hidden by now. */
static inline bool cfi_find(struct cfi_machine *machine, uintptr_t address)
{
    if (machine->first_common != machine->entry.common)
        machine->entry.common = 0;
    return eh_frame_find(&machine->file, address, &machine->entry);
}

/* Compute machine->row from machine->entry. Return false if that fails. */
bool cfi_program_run(struct cfi_machine *machine, uintptr_t address);

/* Access to registers and memory; both return false for unknown values.
   Register CFI_RETURN is the address at which the frame continues. */
struct cfi_reader {
    bool (*read_register)(void *context, unsigned number, uint64_t *value);
    bool (*read_memory)(void *context, uint64_t address, uint64_t *value);
    void *context;
};

/*
 * Evaluate the expression of `place` (DWARF 5, section 2.5, the part used for
 * frames), with `*value` on the stack first if `has_value`. Return false if
 * that fails.
 */
bool cfi_expression_run(const struct cfi_place *place,
                        const struct cfi_reader *reader, bool has_value,
                        uint64_t *value);

/*
 * A rule is one step outwards, computed once for each return address. Almost
 * every frame has one form: the CFA is a register plus an offset, the return
 * address lies right below it, and some saved registers lie at known offsets.
 * A rule takes 32 bytes, and .eh_frame is not read again.
 */
enum unwind_rule_kind {
    UNWIND_RULE_NONE = 0, /* no call frame information: guess */
    UNWIND_RULE_PLAIN,    /* CFA = register + offset */
    UNWIND_RULE_DEREF,    /* CFA = *(register + offset) + second_offset */
    UNWIND_RULE_END,      /* this function has no caller */
    UNWIND_RULE_ENTRY,   /* the start of code: it has neither caller nor call */
    UNWIND_RULE_GENERAL, /* run the instructions each time */
};

/* the registers that a function must preserve */
enum {
    UNWIND_SAVED = 6,
    UNWIND_SAVED_MASK = 1 << CFI_RBX | 1 << CFI_RBP | 0xf << CFI_R12,
};

/* enum cfi_register */
extern const uint8_t unwind_saved_registers[UNWIND_SAVED];

struct unwind_rule {
    uint8_t kind; /* enum unwind_rule_kind */
    uint8_t cfa_register;
    uint8_t saved; /* bit i: unwind_saved_registers[i] is in memory */
    uint8_t reserved;
    int32_t cfa_offset;
    int32_t second_offset;
    int16_t saved_at[UNWIND_SAVED]; /* 8-byte words from the CFA */
};

/* Make the rule for the frame of `address`, an address in a function of
   machine->file that has called. */
struct unwind_rule unwind_rule_make(uintptr_t address,
                                    struct cfi_machine *machine);
