/* SPDX-License-Identifier: Apache-2.0 */
/* sys_heap.h - part of tally/sys_heap.h: the state of a heap */
#ifndef TALLY_PRIVATE_SYS_HEAP_H
#define TALLY_PRIVATE_SYS_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct tally_heap_entry;

struct sys_heap {
    void *init_mem;                 /* region as given to sys_heap_init() */
    size_t init_bytes;              /* ... and its size */
    unsigned char *base;            /* address of unit 0; a unit is 8 bytes */
    uint32_t first;                 /* unit of the lowest chunk */
    uint32_t end;                   /* unit after the highest chunk */
    uint32_t bucket_count;          /* lists of free chunks */
    uint32_t filled[4];             /* one bit per list: 1 if not empty */
    uint32_t used, most;            /* units in use: now, peak */
    uint32_t blocks;                /* blocks in use */
    uint32_t spare;                 /* free chunks */
    uint32_t refused;               /* requests that found no room */
    uint32_t faults[5];             /* by enum tally_heap_fault */
    struct tally_heap_entry *entry; /* its entry in the list of all heaps */
};

#endif /* TALLY_PRIVATE_SYS_HEAP_H */
