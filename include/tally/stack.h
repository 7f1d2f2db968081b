/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - stacks of a program without an operating system
 *
 *     static _Alignas(8) unsigned char memory[1024];
 *     static struct tally_stack worker;
 *
 *     tally_stack_enter(&worker, "worker", memory, sizeof memory);
 *
 * The stack is filled with a pattern up to where it is used now, so do it
 * early. How much of the pattern is left shows what was used at most: a frame
 * that was reserved and never written to does not show.
 *
 * From the main loop; a stack that was entered stays.
 */
#ifndef TALLY_STACK_H
#define TALLY_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* Fields are private. */
struct tally_stack {
    struct tally_stack *next;
    const char *name;
    unsigned char *memory;
    size_t size;
};

/* `memory` is the lowest address. The thread's id is the address of `stack`. */
void tally_stack_enter(struct tally_stack *stack, const char *name,
                       void *memory, size_t size);

/* The most that was used, in bytes. */
size_t tally_stack_most_used(const struct tally_stack *stack);

TALLY_END_DECLS

#endif /* TALLY_STACK_H */
