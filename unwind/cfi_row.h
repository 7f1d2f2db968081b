/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfi_row.h - where the caller's registers are, at one instruction
 *
 * One row of the table that DWARF call frame information describes (DWARF 5,
 * section 6.4). Registers have the numbers of the x86-64 psABI, figure 3.36.
 */
#ifndef TALLY_UNWIND_CFI_ROW_H
#define TALLY_UNWIND_CFI_ROW_H

#include <stdbool.h>
#include <stdint.h>

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

#endif /* TALLY_UNWIND_CFI_ROW_H */
