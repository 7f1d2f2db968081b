/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocators.h - allocators that a preload does not reach
 *
 * patches.c patches a malloc: the executable's own, or that of a running
 * program. prefixed.c has hooks for an allocator's functions besides malloc.
 * bindings.c binds those of a shared library.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/patch_plan.h"
#include "format/ledger/session_layout.h"
#include "ledger/export.h"

/*
 * Patch this executable by the session's plan. Called by the thread that opens
 * the first ledger, before the executable's own code runs. Return true if all
 * entries are patched; false if none is, with the reason in `own_allocator` of
 * the header if it is known.
 */
bool patches_apply(struct session_header *header);

/* Prepare the targets of tally attach's jumps, all or none, and fill in
   `plan->ways`. The plan lies in memory of this process alone. */
bool patches_attach(struct patch_plan *plan);

/* plan of tally attach while it has the ledger opened; else NULL */
extern HIDDEN struct patch_plan *attached_plan;

/*
 * Map the plan for this process's executable, if no process can change its file
 * and it belongs to root or this user; NULL: there is none. An executable with
 * a malloc of its own asks the keeper, and waits for two seconds at most. The
 * caller unmaps the plan by raw_munmap(). Its code is run, and any process of
 * the session can write the session's file: so the plan is a separate file
 * (format/ledger/session_layout.h).
 */
const struct patch_plan *plan_file_find(const struct session_header *header);

/*
 * Return the hook for a function by its name without the prefix, which is a
 * known one (mi_, tc_) or that of --allocator=PREFIX. NULL: the name is
 * unknown, or `code`, its own code, is neither NULL nor the code given before.
 * Blocks are in the same sites as malloc's.
 */
void *prefixed_entry(const char *name, void *code);

/*
 * Bind an allocator's functions in the thread that opens a ledger, before it
 * does. The recorder exports no such name: weak references and dlsym would find
 * it in programs without that allocator. Instead it binds the references of all
 * loaded files to itself, and changes the allocator's symbol table for later
 * ones. If a function that returns blocks bypasses the recorder, write its name
 * to `missed` unless that is set. Bindings are permanent.
 */
void bindings_apply(char missed[SESSION_SYMBOL_CAPACITY]);

/* Return true if `file`, about to be loaded, is an allocator by its name: it
   comes too late to be bound, as other threads run. */
bool bindings_miss(const char *file);
