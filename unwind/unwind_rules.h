/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_rules.h - the rules of all return addresses seen so far
 *
 * Shared by all threads, and read without a lock: core/accounts/site_table.h
 * maps an address to the number of its rule, and a rule never changes.
 */
#pragma once

#include <stdint.h>

#include "core/accounts/site_table.h"
#include "unwind/cfi.h"

enum { UNWIND_RULES_TOGETHER = 1024, UNWIND_RULES_CHUNKS = 256 };

struct unwind_rules {
    struct site_table ids;
    uint32_t count; /* numbers taken; 0 is never used */
    struct unwind_rule *chunks[UNWIND_RULES_CHUNKS];
};

/* Return 0 or TALLY_E_NO_MEMORY. */
int unwind_rules_open(struct unwind_rules *rules);

/* Return the rule of the frame of `address`, made if it is new. `machine` is
   scratch memory. */
struct unwind_rule unwind_rules_find(struct unwind_rules *rules,
                                     uintptr_t address,
                                     struct cfi_machine *machine);

/* Unlock its memory after mlockall(). */
void unwind_rules_unlock(struct unwind_rules *rules);

/* Forget all addresses: another file may lie where one was unloaded. */
void unwind_rules_forget(struct unwind_rules *rules);

/* Fill *file for the file that holds `address`; return false if there is
   none. *file is zeros or an earlier result from the same files. */
bool unwind_rules_file(uintptr_t address, struct eh_frame_file *file);
