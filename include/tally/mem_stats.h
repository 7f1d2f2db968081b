/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_stats.h - how full a piece of memory is, as Zephyr tells it
 *
 *     struct sys_memory_stats stats;
 *
 *     sys_heap_runtime_stats_get(&heap, &stats);
 *     k_mem_slab_runtime_stats_get(&slab, &stats);
 */
#ifndef TALLY_MEM_STATS_H
#define TALLY_MEM_STATS_H

#include <stddef.h>

struct sys_memory_stats {
    size_t free_bytes;          /* not handed out */
    size_t allocated_bytes;     /* handed out now, with what each block costs */
    size_t max_allocated_bytes; /* the most since the start or the reset */
};

#endif /* TALLY_MEM_STATS_H */
