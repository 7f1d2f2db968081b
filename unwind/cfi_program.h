/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_program.h - running the instructions of call frame information
 *
 * From the CIE's and FDE's programs to the row of one instruction. Nothing is
 * allocated; the bytes are not trusted.
 */
#ifndef TALLY_UNWIND_CFI_PROGRAM_H
#define TALLY_UNWIND_CFI_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi_bytes.h"

/*
 * One row of the table that DWARF call frame information describes (DWARF 5,
 * section 6.4): where the caller's registers are, at one instruction. Registers
 * have the numbers of the x86-64 psABI, figure 3.36.
 */
enum cfi_register {
    CFI_RBX = 3,
    CFI_RBP = 6,
    CFI_RSP = 7,
    CFI_R12 = 12,
    CFI_R15 = 15,
    CFI_RETURN = 16, /* the return address */
    CFI_REGISTERS = 17,
};

enum cfi_how {
    CFI_SAME = 0,      /* as it is in the callee */
    CFI_UNDEFINED,     /* gone; of CFI_RETURN: no caller */
    CFI_AT_OFFSET,     /* in memory at the CFA + offset */
    CFI_IS_OFFSET,     /* the CFA + offset itself */
    CFI_IN_REGISTER,   /* in register `number`; of the CFA: + offset */
    CFI_AT_EXPRESSION, /* in memory where the expression says */
    CFI_IS_EXPRESSION, /* what the expression says */
};

struct cfi_place {
    uint8_t how;    /* enum cfi_how */
    uint8_t number; /* a register */
    uint16_t size;  /* bytes of the expression */
    int32_t offset;
    const uint8_t *expression;
};

struct cfi_row {
    struct cfi_place cfa; /* CFI_IN_REGISTER or CFI_IS_EXPRESSION */
    struct cfi_place registers[CFI_REGISTERS];
    bool is_signal; /* the address of this frame is no return address */
};

/* A loaded file. Its table and its frames may lie in different segments. */
struct eh_frame_file {
    uintptr_t start, end; /* can be read */
    uintptr_t header;     /* .eh_frame_hdr, in there; 0: it has none */
    uintptr_t frames_start, frames_end; /* can be read, with .eh_frame */
};

/* What eh_frame.h found for one address. */
struct cfi_entry {
    uintptr_t start, end; /* code that it describes */
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* of addresses, DW_EH_PE_* */
    bool is_signal;
    struct cfi_bytes initial; /* the CIE's instructions */
    struct cfi_bytes own;     /* the FDE's */
};

enum { CFI_REMEMBERED = 8 };

/* 6 KiB of scratch: not for the stack of others. */
struct cfi_machine {
    struct eh_frame_file file;
    struct cfi_entry entry;
    struct cfi_row row; /* the result */
    struct cfi_row first;
    struct cfi_row remembered[CFI_REMEMBERED];
};

/* From machine->entry to machine->row. False: it cannot be worked out. */
bool cfi_program_run(struct cfi_machine *machine, uintptr_t address);

#endif /* TALLY_UNWIND_CFI_PROGRAM_H */
