/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - an allocation, charged to the call or to all that led there, and
 * the stack and code of the program as the countdown asks
 *
 * stacks_alloc() saves the registers that the program had, for following its
 * stack needs them, and ends up in record.c when no stack is wanted.
 *
 * From call_stacks_find() on: call_stacks.c. Each thread that samples has a
 * cache of its own (stack_cache.h), whose words lead to frames that it keeps
 * besides.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/sites_layout.h"

struct counted_thread;
struct unwind_origin;

/* Returns `block`, so that entry points can end in a jump. */
void *stacks_alloc(void *block, size_t size, uintptr_t caller);

/*
 * The word of a whole stack's site; 0: there is no room. Of a stack that cannot
 * be looked at now it is that of `caller` alone.
 */
uint32_t stacks_word(const struct unwind_origin *origin, uintptr_t caller);

/* The same of a map that `caller` asks for, without the bit for near sites.
   `kind` is that of its site. */
uint32_t stacks_map_word(uintptr_t caller, enum ledger_site_kind kind);

/* After mlockall. */
void stacks_unlock(void);

/*
 * As struct countdown_carrier has it. `origin` is a struct unwind_origin; NULL:
 * the call that led into this library.
 */
size_t call_stacks_find(struct counted_thread *thread, const void *origin,
                        const uintptr_t **frames);

/* Some file was unloaded: what is kept may be about it. */
void call_stacks_forget(void);

/*
 * The stack pointer of the program's call that returns to `caller`, or below it
 * where that is not found near `origin`; 0: there is no origin.
 */
uintptr_t call_stacks_pointer(const struct unwind_origin *origin,
                              uintptr_t caller);

/* As struct countdown_carrier has them. */
bool call_stacks_is_own(uintptr_t low, uintptr_t high);
bool call_stacks_same_function(uintptr_t a, uintptr_t b);
uintptr_t call_stacks_call_in(uintptr_t place, uintptr_t frame);
