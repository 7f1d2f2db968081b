/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbed_stats.h - Mbed OS's heap and stack statistics
 *
 *     mbed_stats_heap_t heap;
 *
 *     mbed_stats_heap_get(&heap);
 *
 * The figures cover all allocations if the recorder is loaded, else only tagged
 * ones (tally/malloc.h). The functions are in libtally, not in the recorder,
 * and allocate nothing. With the recorder they visit each block: a few
 * milliseconds for 100,000 blocks. Values that do not fit are UINT32_MAX. Any
 * thread, one at a time; not in signal handlers.
 */
#ifndef TALLY_MBED_STATS_H
#define TALLY_MBED_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/*
 * Current and peak sizes are requested bytes. Hosts: the peak is exact with one
 * thread, else +- 32 KiB per thread; reserved_size covers libc's arenas;
 * failures are those seen by the recorder; overhead is libc's headers and
 * rounding, or 16 bytes a block with tags only. Firmware: the peak is exact;
 * reserved_size and failures cover all sys_heaps; overhead is all other memory
 * in use.
 */
typedef struct {
    uint32_t current_size;   /* live bytes */
    uint32_t max_size;       /* peak of live bytes */
    uint32_t total_size;     /* bytes allocated (total); only grows */
    uint32_t reserved_size;  /* size of the heap in bytes */
    uint32_t alloc_cnt;      /* live blocks */
    uint32_t alloc_fail_cnt; /* requests that were refused */
    uint32_t overhead_size; /* allocator overhead of the live blocks in bytes */
} mbed_stats_heap_t;

void mbed_stats_heap_get(mbed_stats_heap_t *stats);

typedef struct {
    uint32_t thread_id;     /* 0: sum over all threads */
    uint32_t max_size;      /* highest use in bytes */
    uint32_t reserved_size; /* size in bytes */
    uint32_t stack_cnt;     /* stacks in this sum */
} mbed_stats_stack_t;

/* Sum over all stacks that can be found (tally/stack.h). */
void mbed_stats_stack_get(mbed_stats_stack_t *stats);

/* Fill one entry for each stack, at most `count`; return their number. */
size_t mbed_stats_stack_get_each(mbed_stats_stack_t *stats, size_t count);

TALLY_END_DECLS

#endif /* TALLY_MBED_STATS_H */
