/* SPDX-License-Identifier: Apache-2.0 */
/* heap_charge.c - allocate from a heap, for the hook that is in force */
#include "core/heaps/heap_chunk.h"
#include "core/observers/sample.h"
#include "core/observers/tell.h"
#include "core/tags/charge.h"

static const struct tally_heap_block nobodys = { 0 };

void heap_charge(struct sys_heap *heap, void *mem, size_t bytes,
                 const struct tally_heap_block *before)
{
    tally_reference reference = charge_in_force(bytes);

    charge_end(before->site, before->requested);
    if (reference != 0 || before->site != 0)
        tally_heap_block_charge(heap, mem, reference, bytes);
}

static void *allocate(struct sys_heap *heap, size_t align, size_t bytes,
                      void *caller)
{
    bool is_told = tell_begins();
    void *mem = heap_take(heap, align, bytes);

    if (mem != NULL)
        heap_charge(heap, mem, bytes, &nobodys);
    if (is_told)
        tell_malloc(mem, bytes, caller);
    if (sample_made(mem, bytes, caller))
        return mem;
    sys_heap_free(heap, mem);
    return NULL;
}

void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    return allocate(heap, align, bytes, TELL_CALLER);
}

void *sys_heap_alloc(struct sys_heap *heap, size_t bytes)
{
    return allocate(heap, 0, bytes, TELL_CALLER);
}

void *sys_heap_noalign_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    (void)align;
    return allocate(heap, 0, bytes, TELL_CALLER);
}

void sys_heap_free(struct sys_heap *heap, void *mem)
{
    struct tally_heap_block block;
    bool is_told;

    sample_freed(mem);
    is_told = tell_begins();
    if (mem != NULL && tally_heap_block_free(heap, mem, &block))
        charge_end(block.site, block.requested);
    if (is_told)
        tell_free(mem, TELL_CALLER);
}

static void *change(struct sys_heap *heap, void *ptr, size_t align,
                    size_t bytes, void *caller)
{
    struct tally_heap_block before;
    void *mem;

    if (ptr == NULL)
        return allocate(heap, align, bytes, caller);
    if (bytes == 0) {
        sys_heap_free(heap, ptr);
        return NULL;
    }
    mem = heap_change(heap, ptr, align, bytes, &before);
    if (mem != NULL)
        heap_charge(heap, mem, bytes, &before);
    return mem;
}

/* The calls inside give no events: the trace's lock is held. */
static void *reallocate(struct sys_heap *heap, void *ptr, size_t align,
                        size_t bytes, void *caller)
{
    struct sample_old old = sample_take(ptr);
    bool is_told = tell_begins();
    void *mem = change(heap, ptr, align, bytes, caller);

    if (is_told)
        tell_realloc(mem, ptr, bytes, caller);
    sample_settle(&old, mem != NULL || bytes == 0);
    if (ptr != NULL)
        (void)sample_made(mem, bytes, caller);
    return mem;
}

void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align,
                               size_t bytes)
{
    return reallocate(heap, ptr, align, bytes, TELL_CALLER);
}

void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes)
{
    return reallocate(heap, ptr, 0, bytes, TELL_CALLER);
}
