/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_rule.h - one step outwards, worked out once for each return address
 *
 * Almost every frame is of one form: the CFA is a register and an offset, the
 * return address lies right below it, and some registers that the function
 * saved lie at known distances. That fits into 32 bytes, and the bytes of
 * .eh_frame are not looked at again.
 */
#ifndef TALLY_UNWIND_UNWIND_RULE_H
#define TALLY_UNWIND_UNWIND_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/cfi_program.h"
#include "unwind/eh_frame.h"

enum unwind_rule_kind {
    UNWIND_RULE_NONE = 0, /* no call frame information: guess */
    UNWIND_RULE_PLAIN,    /* CFA = register + offset */
    UNWIND_RULE_DEREF,    /* CFA = *(register + offset) + second_offset */
    UNWIND_RULE_END,      /* this function has no caller */
    UNWIND_RULE_ENTRY,    /* nor has it called: it is where code begins */
    UNWIND_RULE_GENERAL,  /* run the instructions each time */
};

/* The registers that a function must give back as they were. */
enum { UNWIND_SAVED = 6 };

extern const uint8_t unwind_saved_registers[UNWIND_SAVED]; /* cfi_register */

struct unwind_rule {
    uint8_t kind; /* enum unwind_rule_kind */
    uint8_t cfa_register;
    uint8_t saved; /* bit i: unwind_saved_registers[i] is in memory */
    uint8_t reserved;
    int32_t cfa_offset;
    int32_t second_offset;
    int16_t saved_at[UNWIND_SAVED]; /* 8-byte words from the CFA */
};

/*
 * The rule for the frame of `address`, an address in a function of
 * machine->file that has called.
 */
struct unwind_rule unwind_rule_make(uintptr_t address,
                                    struct cfi_machine *machine);

#endif /* TALLY_UNWIND_UNWIND_RULE_H */
