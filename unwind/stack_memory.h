/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_memory.h - which memory may be read while a stack is followed
 *
 * Nothing that a stack holds can be trusted to be an address of anything, so
 * memory is read only where it is known to be mapped:
 *
 *   M1  a thread's own stack, from the stack pointer up to where libc put its
 *       end, cannot go away while the thread runs. Its pages are asked for once
 *       and remembered as [low, high), for this thread only
 *   M2  everything else, a coroutine's or a signal's stack, may be gone by the
 *       next time: its pages are asked for again each time a stack is followed
 *
 * The kernel is asked by a call that reads 8 bytes and does nothing; where the
 * program forbids itself system calls, only M1's memory is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STACK_MEMORY_PAGES = 16 };

struct stack_memory {
    uintptr_t thread;    /* thread pointer of the thread that it is about */
    uintptr_t low, high; /* its own stack, as far as known; equal: unknown */
    uintptr_t gap;       /* where asking upwards from another stack ended */

    uint32_t page_count; /* pages found mapped since the last begin */
    uintptr_t pages[STACK_MEMORY_PAGES];
};

/* A stack is to be followed whose innermost word lies at `from`. */
void stack_memory_begin(struct stack_memory *memory, uintptr_t from);

/* Whether `address` lies in the thread's own stack (M1), as far as known. */
static inline bool stack_memory_is_own(const struct stack_memory *memory,
                                       uintptr_t address)
{
    return address >= memory->low && address < memory->high;
}

/* Any word of others' frames, those that sanitizers guard among them. */
static inline __attribute__((no_sanitize("address", "thread"))) uint64_t
stack_memory_word(uintptr_t address)
{
    return *(const volatile uint64_t *)address;
}

/* Whether the 8 bytes at `address` can be read now; it is a multiple of 8. */
bool stack_memory_has(struct stack_memory *memory, uintptr_t address);
