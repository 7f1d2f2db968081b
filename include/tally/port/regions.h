/* SPDX-License-Identifier: Apache-2.0 */
/* regions.h - part of tally/port.h: the platform's own stacks and heaps */
#ifndef TALLY_PORT_REGIONS_H
#define TALLY_PORT_REGIONS_H

#include <stddef.h>
#include <stdint.h>

/* A thread's current stack; it grows down. */
struct tally_port_stack {
    uintptr_t start;  /* lowest address */
    size_t size;      /* bytes */
    size_t most_used; /* highest use in bytes since the thread began, up to
                         `size` */
    uint32_t thread;  /* thread id, not 0 */
    const char *name; /* name of the thread, or NULL */
};

typedef void (*tally_port_stack_fn)(void *context,
                                    const struct tally_port_stack *stack);

/* Call `tell` for the stack of each thread. Return the number of threads whose
   stacks cannot be found. One thread at a time. */
uint32_t tally_port_each_stack(tally_port_stack_fn tell, void *context);

/* Return the bytes of stack that the thread uses now; 0 if there is no such
   thread, or it is running on another processor. */
size_t tally_port_stack_depth(uint32_t thread);

/* A heap of the platform: libc's. */
struct tally_port_heap {
    uintptr_t address; /* id of the heap while it exists */
    size_t used, unused;
    const char *name; /* valid during the call; NULL: none */
};

typedef void (*tally_port_heap_fn)(void *context,
                                   const struct tally_port_heap *heap);

/* Call `tell` for each heap. One thread at a time. */
void tally_port_each_heap(tally_port_heap_fn tell, void *context);

/* Hosts only. Return the bytes handed out by libc's malloc, as counted by
   itself; 0: unknown. */
int64_t tally_port_heap_held(void);

/* Hosts only. Return the bytes that libc's malloc has from the kernel; 0:
   unknown. */
int64_t tally_port_heap_reserved(void);

#endif /* TALLY_PORT_REGIONS_H */
