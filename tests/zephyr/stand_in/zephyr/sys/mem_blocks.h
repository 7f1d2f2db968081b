/* SPDX-License-Identifier: Apache-2.0 */
/* mem_blocks.h - Zephyr's memory blocks, as far as the module calls them */
#pragma once

#include <stddef.h>
#include <zephyr/sys/sys_heap.h>

typedef struct sys_mem_blocks {
    struct sys_memory_stats stand_in_stats;
} sys_mem_blocks_t;

typedef struct sys_multi_mem_blocks {
    int num_allocators;
} sys_multi_mem_blocks_t;

int sys_mem_blocks_alloc(sys_mem_blocks_t *blocks, size_t count, void **out);
int sys_mem_blocks_alloc_contiguous(sys_mem_blocks_t *blocks, size_t count,
                                    void **out);
void sys_multi_mem_blocks_add_allocator(sys_multi_mem_blocks_t *group,
                                        sys_mem_blocks_t *blocks);
int sys_mem_blocks_runtime_stats_get(sys_mem_blocks_t *blocks,
                                     struct sys_memory_stats *stats);
