/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_rules.h - the rules of all return addresses that were ever met
 *
 * A rule is one step outwards, worked out once for each return address. Almost
 * every frame is of one form: the CFA is a register and an offset, the return
 * address lies right below it, and some registers that the function saved lie
 * at known distances. That fits into 32 bytes, and the bytes of .eh_frame are
 * not looked at again.
 *
 * Shared by all threads, and read without a lock: core/accounts/site_table.h
 * leads from an address to the number of its rule, and a rule never changes.
 */
#ifndef TALLY_UNWIND_UNWIND_RULES_H
#define TALLY_UNWIND_UNWIND_RULES_H

#include <stdint.h>

#include "core/accounts/site_table.h"
#include "unwind/cfi.h"

enum unwind_rule_kind {
    UNWIND_RULE_NONE = 0, /* no call frame information: guess */
    UNWIND_RULE_PLAIN,    /* CFA = register + offset */
    UNWIND_RULE_DEREF,    /* CFA = *(register + offset) + second_offset */
    UNWIND_RULE_END,      /* this function has no caller */
    UNWIND_RULE_ENTRY,    /* nor has it called: it is where code begins */
    UNWIND_RULE_GENERAL,  /* run the instructions each time */
};

/* The registers that a function must give back as they were. */
enum {
    UNWIND_SAVED = 6,
    UNWIND_SAVED_MASK = 1 << CFI_RBX | 1 << CFI_RBP | 0xf << CFI_R12,
};

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

enum { UNWIND_RULES_TOGETHER = 1024, UNWIND_RULES_CHUNKS = 256 };

struct unwind_rules {
    struct site_table ids;
    uint32_t count; /* taken, the first of which is not used */
    struct unwind_rule *chunks[UNWIND_RULES_CHUNKS];
};

/* 0 or TALLY_E_NO_MEMORY. */
int unwind_rules_open(struct unwind_rules *rules);

/*
 * The rule of the frame that `address` lies in, made if it is new. `machine` is
 * scratch.
 */
struct unwind_rule unwind_rules_find(struct unwind_rules *rules,
                                     uintptr_t address,
                                     struct cfi_machine *machine);

/* After mlockall. */
void unwind_rules_unlock(struct unwind_rules *rules);

/* Some file was unloaded: what lies where it lay may have other rules. */
void unwind_rules_forget(struct unwind_rules *rules);

/* The call frame information of the file that `address` lies in. */
bool unwind_rules_file(uintptr_t address, struct eh_frame_file *file);

#endif /* TALLY_UNWIND_UNWIND_RULES_H */
