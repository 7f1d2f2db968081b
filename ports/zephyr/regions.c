/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - Zephyr's own stacks, heaps and slabs
 *
 * Zephyr lists k_heaps and slabs that a macro defined; the linker's --wrap
 * finds those that the program initializes, sys_heaps, and allocators of memory
 * blocks. Their figures are Zephyr's runtime statistics.
 */
#include <zephyr/kernel.h>
#include <zephyr/sys/mem_blocks.h>
#include <zephyr/sys/sys_heap.h>

#include "ports/zephyr/calls.h"
#include "tally/port.h"

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

#ifdef CONFIG_TALLY_WATERMARKS
/* Tell a highest use that rose since the last round, as one moment. */
static void tell_mark(const struct each *each, struct tally_port_region region,
                      size_t most)
{
    static struct mark {
        uintptr_t region; /* address and kind */
        size_t bytes;
    } marks[CONFIG_TALLY_WATERMARKS_REGIONS];
    const uintptr_t id = region.address + region.kind;
    struct mark *mark = marks;

    while (mark->region != 0 && mark->region != id) {
        if (++mark == marks + ARRAY_SIZE(marks))
            return;
    }
    mark->region = id;
    if (most <= mark->bytes)
        return;
    mark->bytes = most;
    region.unused -= most - region.used;
    region.used = most;
    each->tell(each->context, &region);
}
#endif

/* Memory blocks, which are reported as a slab. */
#define BLOCKS ZPL_STACK

/* Tell a heap, slab or BLOCKS; a k_heap begins with its sys_heap. Zephyr reads
   slabs and blocks under their own locks. */
static void tell(const struct each *each, enum zpl_memory_region kind,
                 void *object, struct k_spinlock *lock)
{
    k_spinlock_key_t key = k_spin_lock(lock);
    struct sys_memory_stats stats;
    struct tally_port_region region = {
        .address = (uintptr_t)object,
        .kind = kind == BLOCKS ? ZPL_MEM_SLAB : kind,
    };
    int error;

    if (kind == ZPL_MEM_SLAB)
        error = k_mem_slab_runtime_stats_get(object, &stats);
#ifdef CONFIG_SYS_MEM_BLOCKS
    else if (kind == BLOCKS)
        error = sys_mem_blocks_runtime_stats_get(object, &stats);
#endif
    else
        error = sys_heap_runtime_stats_get(object, &stats);
    k_spin_unlock(lock, key);
    if (error != 0) /* not initialized yet */
        return;
    region.used = stats.allocated_bytes;
    region.unused = stats.free_bytes;
#ifdef CONFIG_TALLY_WATERMARKS
    if (stats.max_allocated_bytes > region.used)
        tell_mark(each, region, stats.max_allocated_bytes);
#endif
    each->tell(each->context, &region);
}

/* Objects that the program initialized, but not those of macros: addresses,
   with kinds in their low bits. */
static uintptr_t found[CONFIG_TALLY_ZPL_RUNTIME_OBJECTS];
enum { KIND = 3 };

/* One on a stack may soon be gone. */
static bool is_on_stack(uintptr_t address)
{
#ifdef CONFIG_ARCH_POSIX /* threads have the host's stacks */
    return address - (uintptr_t)__builtin_frame_address(0) < 8u << 20;
#else
    const struct k_thread *self = k_current_get();

    return address - self->stack_info.start < self->stack_info.size;
#endif
}

/* Note an object. Before threads begin, Zephyr initializes those of macros. */
static void note(enum zpl_memory_region kind, const void *object)
{
    uintptr_t address = (uintptr_t)object;
    unsigned int key;

    if (k_is_pre_kernel() || is_on_stack(address))
        return;
    key = irq_lock(); /* of all processors */
    for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
        if (found[i] == 0 || found[i] - address <= KIND) {
            found[i] = address + kind;
            break;
        }
    }
    irq_unlock(key);
}

/* Zephyr's k_heap_init() calls it, too. */
WRAPPED(void, sys_heap_init,
        (struct sys_heap * heap, void *memory, size_t size))
{
    __real_sys_heap_init(heap, memory, size);
    note(ZPL_HEAP, heap);
}

WRAPPED(int, k_mem_slab_init,
        (struct k_mem_slab * slab, void *memory, size_t size, uint32_t count))
{
    int error = __real_k_mem_slab_init(slab, memory, size, count);

    if (error == 0)
        note(ZPL_MEM_SLAB, slab);
    return error;
}

#ifdef CONFIG_SYS_MEM_BLOCKS
/* A macro defines blocks without a list: note them when they are allocated, or
   given to a group. */
#define WRAP_BLOCKS(name)                                                     \
    WRAPPED(int, name, (sys_mem_blocks_t * blocks, size_t count, void **out)) \
    {                                                                         \
        note(BLOCKS, blocks);                                                 \
        return __real_##name(blocks, count, out);                             \
    }

WRAP_BLOCKS(sys_mem_blocks_alloc)
WRAP_BLOCKS(sys_mem_blocks_alloc_contiguous)

WRAPPED(void, sys_multi_mem_blocks_add_allocator,
        (sys_multi_mem_blocks_t * group, sys_mem_blocks_t *blocks))
{
    note(BLOCKS, blocks);
    __real_sys_multi_mem_blocks_add_allocator(group, blocks);
}
#endif

uint32_t tally_port_each_region(enum zpl_memory_region kind,
                                tally_port_region_fn tell_region, void *context)
{
    static struct k_spinlock none;
    struct each each = { tell_region, context, 0 };

    if (kind == ZPL_STACK) {
        k_thread_foreach_unlocked(tell_stack, &each);
        return each.unseen;
    }
    if (kind == ZPL_K_HEAP ||
        (kind == ZPL_HEAP && IS_ENABLED(CONFIG_TALLY_ZPL_K_HEAPS_AS_HEAPS))) {
        STRUCT_SECTION_FOREACH(k_heap, heap)
        tell(&each, kind, heap, &heap->lock);
    }
    if (kind == ZPL_MEM_SLAB) {
        STRUCT_SECTION_FOREACH(k_mem_slab, slab)
        tell(&each, kind, slab, &none);
    }
    for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
        enum zpl_memory_region what = found[i] % (KIND + 1);

        if (found[i] != 0 &&
            (what == kind || (what == BLOCKS && kind == ZPL_MEM_SLAB)))
            tell(&each, what, (void *)(found[i] - what), &none);
    }
    return 0;
}
