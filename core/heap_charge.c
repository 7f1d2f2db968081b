/* SPDX-License-Identifier: Apache-2.0 */
/* heap_charge.c - allocate from a heap, for the hook that is in force */
#include "core/charge.h"
#include "core/heap_chunk.h"

static const struct tally_heap_block nobodys = { 0 };

void heap_charge(void *mem, size_t bytes, const struct tally_heap_block *before)
{
    tally_reference reference = charge_in_force(bytes);

    charge_end(before->site, before->requested);
    if (reference != 0 || before->site != 0)
        tally_heap_block_charge(mem, reference, bytes);
}

void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    void *mem = heap_take(heap, align, bytes);

    if (mem != NULL)
        heap_charge(mem, bytes, &nobodys);
    return mem;
}

void *sys_heap_alloc(struct sys_heap *heap, size_t bytes)
{
    return sys_heap_aligned_alloc(heap, 0, bytes);
}

void *sys_heap_noalign_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    (void)align;
    return sys_heap_aligned_alloc(heap, 0, bytes);
}

void sys_heap_free(struct sys_heap *heap, void *mem)
{
    struct tally_heap_block block;

    if (mem != NULL && tally_heap_block_free(heap, mem, &block))
        charge_end(block.site, block.requested);
}

void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align,
                               size_t bytes)
{
    struct tally_heap_block before;
    void *mem;

    if (ptr == NULL)
        return sys_heap_aligned_alloc(heap, align, bytes);
    if (bytes == 0) {
        sys_heap_free(heap, ptr);
        return NULL;
    }
    mem = heap_change(heap, ptr, align, bytes, &before);
    if (mem != NULL)
        heap_charge(mem, bytes, &before);
    return mem;
}

void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes)
{
    return sys_heap_aligned_realloc(heap, ptr, 0, bytes);
}
