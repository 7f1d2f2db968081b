/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c - initialize heaps and slabs, as the kernel and a library do */
#include <zephyr/kernel.h>
#include <zephyr/sys/mem_blocks.h>

void k_heap_init(struct k_heap *heap, void *memory, size_t size)
{
    sys_heap_init(&heap->heap, memory, size);
}

int k_mem_slab_init(struct k_mem_slab *slab, void *memory, size_t size,
                    uint32_t count)
{
    (void)memory;
    slab->stand_in_stats = (struct sys_memory_stats){ size * count, 0, 0 };
    return size == 0 ? -22 : 0;
}

void objects_init_heap(struct sys_heap *heap, size_t size)
{
    sys_heap_init(heap, NULL, size);
}

int sys_mem_blocks_alloc(sys_mem_blocks_t *blocks, size_t count, void **out)
{
    blocks->stand_in_stats.free_bytes -= 32 * count;
    blocks->stand_in_stats.allocated_bytes += 32 * count;
    *out = blocks;
    return 0;
}

int sys_mem_blocks_alloc_contiguous(sys_mem_blocks_t *blocks, size_t count,
                                    void **out)
{
    return sys_mem_blocks_alloc(blocks, count, out);
}

void sys_multi_mem_blocks_add_allocator(sys_multi_mem_blocks_t *group,
                                        sys_mem_blocks_t *blocks)
{
    (void)blocks;
    group->num_allocators++;
}

int sys_mem_blocks_runtime_stats_get(sys_mem_blocks_t *blocks,
                                     struct sys_memory_stats *stats)
{
    *stats = blocks->stand_in_stats;
    return 0;
}
