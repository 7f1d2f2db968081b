/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - Zephyr's own stacks, heaps and slabs
 *
 * Heaps and slabs are those that Zephyr lists: k_heaps and slabs that a macro
 * defined, and sys_heaps of its array where the version has one. Their figures
 * are Zephyr's runtime statistics.
 */
#include <zephyr/kernel.h>
#include <zephyr/sys/sys_heap.h>

#include "tally/port.h"

#if defined CONFIG_SYS_HEAP_ARRAY_SIZE && CONFIG_SYS_HEAP_ARRAY_SIZE > 0
#define HAS_HEAP_ARRAY 1
#else
#define HAS_HEAP_ARRAY 0
#endif

struct each {
    tally_port_region_fn tell;
    void *context;
    uint32_t unseen; /* stacks without bounds */
};

static void tell_stack(const struct k_thread *thread, void *data)
{
    struct each *each = data;
    struct tally_port_region region = {
        .address = thread->stack_info.start,
        .name = k_thread_name_get((struct k_thread *)(uintptr_t)thread),
        .thread = (uint32_t)(uintptr_t)thread,
        .kind = ZPL_STACK,
    };

    if (k_thread_stack_space_get(thread, &region.unused) != 0) {
        each->unseen++;
        return;
    }
    if (region.name != NULL && region.name[0] == '\0')
        region.name = NULL;
    region.used = thread->stack_info.size - region.unused;
    each->tell(each->context, &region);
}

static void tell(struct each *each, enum zpl_memory_region kind,
                 const void *object, const struct sys_memory_stats *stats)
{
    const struct tally_port_region region = {
        .address = (uintptr_t)object,
        .used = stats->allocated_bytes,
        .unused = stats->free_bytes,
        .kind = kind,
    };

    each->tell(each->context, &region);
}

static void tell_k_heaps(struct each *each)
{
    struct sys_memory_stats stats;

    STRUCT_SECTION_FOREACH(k_heap, heap)
    {
        if (sys_heap_runtime_stats_get(&heap->heap, &stats) == 0)
            tell(each, ZPL_K_HEAP, heap, &stats);
    }
}

static void tell_slabs(struct each *each)
{
    struct sys_memory_stats stats;

    STRUCT_SECTION_FOREACH(k_mem_slab, slab)
    {
        if (k_mem_slab_runtime_stats_get(slab, &stats) == 0)
            tell(each, ZPL_MEM_SLAB, slab, &stats);
    }
}

#if HAS_HEAP_ARRAY
static bool is_k_heap(const struct sys_heap *heap)
{
    STRUCT_SECTION_FOREACH(k_heap, each)
    {
        if (&each->heap == heap)
            return true;
    }
    return false;
}

static void tell_heaps(struct each *each)
{
    struct sys_memory_stats stats;
    struct sys_heap **heaps;
    int count = sys_heap_array_get(&heaps);

    for (int i = 0; i < count; i++) {
        if (!is_k_heap(heaps[i]) &&
            sys_heap_runtime_stats_get(heaps[i], &stats) == 0)
            tell(each, ZPL_HEAP, heaps[i], &stats);
    }
}
#else
#define tell_heaps(each) ((void)(each))
#endif

uint32_t tally_port_each_region(enum zpl_memory_region kind,
                                tally_port_region_fn tell_region, void *context)
{
    struct each each = { tell_region, context, 0 };

    if (kind == ZPL_STACK)
        k_thread_foreach_unlocked(tell_stack, &each);
    else if (kind == ZPL_HEAP)
        tell_heaps(&each);
    else if (kind == ZPL_K_HEAP)
        tell_k_heaps(&each);
    else
        tell_slabs(&each);
    return each.unseen;
}
