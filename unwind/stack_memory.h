/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_memory.h - which memory may be read while a stack is walked
 *
 * A word on a stack may be no address at all, so memory is read only if it is
 * known to be mapped:
 *
 *   M1  a thread's own stack, from the stack pointer to the end that libc
 *       chose, cannot vanish while the thread runs. Its pages are checked once
 *       and remembered as [low, high), for this thread only
 *   M2  all other memory, such as a coroutine's or a signal's stack, may vanish
 *       later: its pages are checked anew for each walk
 *
 * The kernel checks by a call that reads 8 bytes and does nothing. If the
 * program forbids itself system calls, only the memory of M1 is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STACK_MEMORY_PAGES = 16 };

struct stack_memory {
    uintptr_t thread;    /* thread pointer of the thread described */
    uintptr_t low, high; /* its own stack as far as known; equal: unknown */
    uintptr_t gap;       /* end of an upward check from another stack */

    uint32_t page_count; /* pages found mapped since the last begin */
    uintptr_t pages[STACK_MEMORY_PAGES];
};

/* Prepare to walk a stack whose innermost word lies at `from`. */
void stack_memory_begin(struct stack_memory *memory, uintptr_t from);

/* Return true if `address` lies in the known part of the own stack (M1). */
static inline bool stack_memory_is_own(const struct stack_memory *memory,
                                       uintptr_t address)
{
    return address >= memory->low && address < memory->high;
}

/* Read any word of other functions' frames, guarded by sanitizers or not. */
static inline __attribute__((no_sanitize("address", "thread"))) uint64_t
stack_memory_word(uintptr_t address)
{
    return *(const volatile uint64_t *)address;
}

/* Return true if the 8 bytes at `address`, a multiple of 8, can be read now. */
bool stack_memory_has(struct stack_memory *memory, uintptr_t address);
