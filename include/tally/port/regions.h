/* SPDX-License-Identifier: Apache-2.0 */
/* regions.h - part of tally/port.h: stacks, heaps and slabs */
#ifndef TALLY_PORT_REGIONS_H
#define TALLY_PORT_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "tally/zpl_event.h"

/* A region of memory; a stack grows down. */
struct tally_port_region {
    uintptr_t address;   /* id while it exists; of a stack the lowest address */
    size_t used, unused; /* bytes; `used` of a stack is its highest use since
                            the thread began */
    const char *name;    /* of the region or thread, valid during the call;
                            NULL: none */
    uint32_t thread;     /* id of a stack's thread, not 0; of others 0 */
    enum zpl_memory_region kind;
};

typedef void (*tally_port_region_fn)(void *context,
                                     const struct tally_port_region *region);

/*
 * Call `tell` for each region of `kind`: the platform's, and those of
 * tally_own_regions() unless the platform's kernel has its own heaps and slabs.
 * Return the number of threads whose stacks cannot be found; 0 for other kinds.
 * One thread at a time.
 */
uint32_t tally_port_each_region(enum zpl_memory_region kind,
                                tally_port_region_fn tell, void *context);

/* Supplied by the core, for ports: call `tell` for each heap or slab of
   tally/sys_heap.h, tally/k_heap.h and tally/mem_slab.h. */
void tally_own_regions(enum zpl_memory_region kind, tally_port_region_fn tell,
                       void *context);

/* Return the bytes of stack that the thread uses now; 0 if there is no such
   thread, or it is running on another processor. */
size_t tally_port_stack_depth(uint32_t thread);

/* Hosts only. Return the bytes handed out by libc's malloc, as counted by
   itself; 0: unknown. */
int64_t tally_port_heap_held(void);

/* Hosts only. Return the bytes that libc's malloc has from the kernel; 0:
   unknown. */
int64_t tally_port_heap_reserved(void);

#endif /* TALLY_PORT_REGIONS_H */
