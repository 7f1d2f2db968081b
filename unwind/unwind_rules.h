/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_rules.h - the rules of all return addresses that were ever met
 *
 * Shared by all threads, and read without a lock: core/accounts/site_table.h
 * leads from an address to the number of its rule, and a rule never changes.
 */
#pragma once

#include <stdint.h>

#include "core/accounts/site_table.h"
#include "unwind/cfi.h"

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
