/* SPDX-License-Identifier: Apache-2.0 */
/* sys_heap.h - Zephyr's heap, as far as the module calls it */
#pragma once

#include <stddef.h>

struct sys_memory_stats {
    size_t free_bytes;
    size_t allocated_bytes;
    size_t max_allocated_bytes;
};

struct sys_heap {
    struct sys_memory_stats stand_in_stats;
};

int sys_heap_runtime_stats_get(struct sys_heap *heap,
                               struct sys_memory_stats *stats);
void sys_heap_init(struct sys_heap *heap, void *memory, size_t size);
