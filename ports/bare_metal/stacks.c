/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.c - stacks registered by the program, and their highest use
 *
 * Without threads there is no list of stacks, so the program registers them.
 * Interrupts run on one of them.
 */
#include <stdbool.h>

#include "tally/bare_metal.h"
#include "tally/port.h"
#include "tally/stack.h"

enum { PATTERN = 0xaa, SPARED = 64 /* stack of the functions called here */ };

static struct tally_stack *stacks;

static bool is_current(const struct tally_stack *stack, uintptr_t here)
{
    return here - (uintptr_t)stack->memory < stack->size;
}

void tally_stack_enter(struct tally_stack *stack, const char *name,
                       void *memory, size_t size)
{
    struct tally_stack **link = &stacks;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uint32_t key = tally_port_lock();
    volatile unsigned char *byte = memory;
    size_t unused;

    while (*link != NULL && *link != stack)
        link = &(*link)->next;
    if (*link == NULL) {
        stack->next = NULL;
        *link = stack;
    }
    stack->name = name;
    stack->memory = memory;
    stack->size = size;
    unused = size;
    if (is_current(stack, here)) {
        unused = here - (uintptr_t)memory;
        unused = unused > SPARED ? unused - SPARED : 0;
    }
    while (unused-- > 0)
        *byte++ = PATTERN;
    tally_port_unlock(key);
}

size_t tally_stack_most_used(const struct tally_stack *stack)
{
    size_t unused = 0;

    while (unused < stack->size && stack->memory[unused] == PATTERN)
        unused++;
    return stack->size - unused;
}

__attribute__((weak)) uint32_t tally_board_regions(enum zpl_memory_region kind,
                                                   tally_port_region_fn tell,
                                                   void *context)
{
    (void)kind, (void)tell, (void)context;
    return 0;
}

uint32_t tally_port_each_region(enum zpl_memory_region kind,
                                tally_port_region_fn tell, void *context)
{
    const struct tally_stack *stack = kind == ZPL_STACK ? stacks : NULL;

    for (; stack != NULL; stack = stack->next) {
        const size_t used = tally_stack_most_used(stack);
        const struct tally_port_region found = {
            .address = (uintptr_t)stack->memory,
            .used = used,
            .unused = stack->size - used,
            .name = stack->name,
            .thread = (uint32_t)(uintptr_t)stack,
            .kind = ZPL_STACK,
        };

        tell(context, &found);
    }
    tally_own_regions(kind, tell, context);
    return tally_board_regions(kind, tell, context);
}

/* Only the caller's stack is known; the depth of any other is not. */
size_t tally_port_stack_depth(uint32_t thread)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    for (const struct tally_stack *stack = stacks; stack != NULL;
         stack = stack->next) {
        if ((uint32_t)(uintptr_t)stack == thread && is_current(stack, here))
            return (uintptr_t)stack->memory + stack->size - here;
    }
    return 0;
}
