/* SPDX-License-Identifier: Apache-2.0 */
/* regions.h - part of tally/port.h: stacks and heaps that are the platform's
   own */
#ifndef TALLY_PORT_REGIONS_H
#define TALLY_PORT_REGIONS_H

#include <stddef.h>
#include <stdint.h>

/* A thread's stack as it is now; it grows down. */
struct tally_port_stack {
    uintptr_t start;  /* the lowest address */
    size_t size;      /* bytes */
    size_t most_used; /* at any time since the thread began, up to `size` */
    uint32_t thread;  /* its id, not 0 */
    const char *name; /* of the thread, or NULL */
};

typedef void (*tally_port_stack_fn)(void *context,
                                    const struct tally_port_stack *stack);

/*
 * Tell of the stack of each thread. Returns how many more threads there are,
 * whose stacks cannot be found. One thread at a time.
 */
uint32_t tally_port_each_stack(tally_port_stack_fn tell, void *context);

/* Bytes of its stack that the thread uses now. 0: there is no such thread, or
   it runs at this moment on another processor. */
size_t tally_port_stack_depth(uint32_t thread);

/* A heap that is the platform's own: libc's. */
struct tally_port_heap {
    uintptr_t address; /* names it for as long as it is there */
    size_t used, unused;
    const char *name; /* valid during the call; NULL: none */
};

typedef void (*tally_port_heap_fn)(void *context,
                                   const struct tally_port_heap *heap);

/* Tell of all of them. One thread at a time. */
void tally_port_each_heap(tally_port_heap_fn tell, void *context);

/* Hosts only. Bytes that libc's malloc has handed out, as it counts them
   itself; 0: it does not tell. */
int64_t tally_port_heap_held(void);

/* Hosts only. Bytes that it has from the kernel; 0: it does not tell. */
int64_t tally_port_heap_reserved(void);

#endif /* TALLY_PORT_REGIONS_H */
