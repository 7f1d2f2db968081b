/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_stats.h - Zephyr's statistics of a heap or slab
 *
 *     struct sys_memory_stats stats;
 *
 *     sys_heap_runtime_stats_get(&heap, &stats);
 *     k_mem_slab_runtime_stats_get(&slab, &stats);
 */
#ifndef TALLY_MEM_STATS_H
#define TALLY_MEM_STATS_H

#include <stddef.h>

#include "tally/private/not_in_zephyr.h"

struct sys_memory_stats {
    size_t free_bytes;          /* free bytes */
    size_t allocated_bytes;     /* bytes in use, overhead included */
    size_t max_allocated_bytes; /* peak of bytes in use since the start or the
                                   last reset */
};

#endif /* TALLY_MEM_STATS_H */
