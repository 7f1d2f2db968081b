/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - charging an allocation to its stack or its caller; stack and code
 * of the program for the countdown
 *
 * stacks_alloc() saves the program's registers, which a walk needs, and ends up
 * in ledger_blocks.c if no stack is wanted.
 *
 * From call_stacks_find() on: call_stacks.c. Each thread that samples has its
 * own cache (stack_cache.h), whose words lead to frames that it stores besides.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/segments_layout.h"

struct counted_thread;
struct unwind_origin;

/* Get ready to charge to stacks; return false if there is no memory. */
bool stacks_open(void);

/* Reset the caches in a forked child: other threads may have used them. */
void stacks_adopt(void);

/* Record a block. Return `block`, so that entry points can end in a jump. */
void *stacks_alloc(void *block, size_t size, uintptr_t caller);

/* Return the word of a stack's site, or of `caller` alone if the stack cannot
   be walked now; 0: there is no space. */
uint32_t stacks_word(const struct unwind_origin *origin, uintptr_t caller);

/* Return the word of a map made by `caller`, without the bit of near sites.
   `kind` is its site's. */
uint32_t stacks_map_word(uintptr_t caller, enum ledger_site_kind kind);

/* Unlock the memory of all caches after mlockall(). */
void stacks_unlock(void);

/* Find a stack for struct countdown_carrier. `origin` is a struct
   unwind_origin; NULL: start at the call that entered this library. */
size_t call_stacks_find(struct counted_thread *thread, const void *origin,
                        const uintptr_t **frames);

/* Note that a file was unloaded: all caches are emptied at their next use. */
void call_stacks_forget(void);

/* Return the stack pointer of the program's call that returns to `caller`, or a
   lower address if that is not found near `origin`; 0: no origin. */
uintptr_t call_stacks_pointer(const struct unwind_origin *origin,
                              uintptr_t caller);

/* a function of struct countdown_carrier */
bool call_stacks_is_own(uintptr_t low, uintptr_t high);
