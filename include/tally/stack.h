/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - measure stacks in programs without an operating system
 *
 *     static _Alignas(8) unsigned char memory[1024];
 *     static struct tally_stack worker;
 *
 *     tally_stack_enter(&worker, "worker", memory, sizeof memory);
 *
 * The unused part of the stack is filled with a pattern, so call this early.
 * The pattern that is left shows the highest use; frames that were reserved but
 * never written do not count.
 *
 * Call it from the main loop. Stacks cannot be removed.
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

/* Register a stack; `memory` is its lowest address. The thread's id is the
   address of `stack`. */
void tally_stack_enter(struct tally_stack *stack, const char *name,
                       void *memory, size_t size);

/* Return the highest use in bytes. */
size_t tally_stack_most_used(const struct tally_stack *stack);

TALLY_END_DECLS

#endif /* TALLY_STACK_H */
