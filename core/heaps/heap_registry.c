/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_registry.c - the list of all heaps
 *
 * The list uses its own entries, so there may be any number of heaps, and
 * walking it is safe when a heap's memory is gone. An entry is reused when
 * another heap is initialised at the same address. The first entries are
 * static, since firmware has few heaps and little memory.
 */
#include "core/accounts/regions.h"
#include "core/heaps/heap_chunk.h"
#include "tally/port.h"

#if !TALLY_HAS(OS)
#include "tally/k_heap.h"
#endif

enum { INVALID = -22, FIRST_ENTRIES = 4 };

STATIC_ASSERT(sizeof(struct sys_heap) <= PLACE_SPAN);
STATIC_ASSERT(offsetof(struct tally_heap_entry, place) == 0);

static struct place_list heaps;
static struct tally_heap_entry *spare; /* entries of heaps that were
                                          forgotten */

static struct tally_heap_entry *find(const struct sys_heap *heap)
{
    return (struct tally_heap_entry *)(void *)place_find(&heaps, heap);
}

static struct tally_heap_entry *make_entry(void)
{
    static struct tally_heap_entry first[FIRST_ENTRIES];
    static unsigned used;
    struct tally_heap_entry *made = spare;

    if (made != NULL)
        spare = (struct tally_heap_entry *)(void *)made->place.next;
    else if (used < FIRST_ENTRIES)
        made = &first[used++];
    else
        made = registry_memory_take(sizeof *made);
    return made;
}

static void drop(struct tally_heap_entry *entry)
{
    place_leave(&heaps, &entry->place);
    if (entry->region != NULL && engine_has_ledger())
        entry->region->is_gone = 1;
    entry->name = NULL;
    entry->by = NULL;
    entry->place.next = spare != NULL ? &spare->place : NULL;
    spare = entry;
}

/* Create a record in the ledger, or update its name and size. */
static void enter_ledger(struct tally_heap_entry *entry)
{
    struct ledger_region *region;

    if (!regions_are_open())
        return;
    region = engine_write_region(entry->region, entry->kind,
                                 (uintptr_t)entry->place.object, entry->name);
    if (region == NULL)
        return;
    region->size = (uint64_t)entry->units * CHUNK_UNIT;
    region->used = (uint64_t)entry->used * CHUNK_UNIT;
    region->peak = (uint64_t)entry->most * CHUNK_UNIT;
    entry->region = region;
}

#if TALLY_HAS(OS)
#define enter_program() ((void)0)
#else
/* Firmware runs no constructors: the program's k_heaps are entered on demand.
   Weak, so that programs without k_heaps link without their code. */
extern struct tally_k_heap_item __start_tally_k_heaps[] __attribute__((weak));
extern struct tally_k_heap_item __stop_tally_k_heaps[] __attribute__((weak));
extern __typeof__(tally_k_heaps_enter) tally_k_heaps_enter
    __attribute__((weak));

static void enter_program(void)
{
    static bool is_entered;

    if (!is_entered && tally_k_heaps_enter != NULL) {
        is_entered = true;
        tally_k_heaps_enter(__start_tally_k_heaps, __stop_tally_k_heaps);
    }
}
#endif

/* Enter existing heaps once the accounts are open:
   mem_profiling_at_opening(). */
static void enter_all_regions(void)
{
    for (struct tally_listed *place = heaps.first; place != NULL;
         place = place->next)
        enter_ledger((struct tally_heap_entry *)(void *)place);
}

void heap_registry_enter(struct sys_heap *heap, enum ledger_region_kind kind)
{
    uint32_t key = tally_port_lock();
    struct tally_heap_entry *entry = find(heap);
    struct tally_listed *gone;

    if (entry == NULL) {
        while ((gone = place_overlapping(&heaps, heap, sizeof *heap)) != NULL)
            drop((struct tally_heap_entry *)(void *)gone);
        entry = make_entry();
        if (entry != NULL)
            place_enter(&heaps, &entry->place, heap);
        mem_profiling_at_opening(MEM_PROFILING_HEAPS, enter_all_regions);
    }
    heap->entry = entry;
    if (entry != NULL) {
        entry->kind = kind;
        entry->units = heap->end - heap->first;
        entry->used = heap->used;
        entry->most = heap->most;
        enter_ledger(entry);
    }
    tally_port_unlock(key);
}

void tally_heap_forget(struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    struct tally_heap_entry *entry = find(heap);

    if (entry != NULL) {
        heap->entry = NULL;
        drop(entry);
    }
    tally_port_unlock(key);
}

const struct tally_heap_entry *heap_registry_first(void)
{
    enter_program();
    return (struct tally_heap_entry *)(void *)heaps.first;
}

struct sys_heap *tally_heap_next(const struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    const struct tally_listed *place;

    enter_program();
    place = heap == NULL ? heaps.first : place_find(&heaps, heap);
    if (heap != NULL && place != NULL)
        place = place->next;
    tally_port_unlock(key);
    return place == NULL ? NULL : place->object;
}

static void name_entry(struct tally_heap_entry *entry, const char *name)
{
    entry->name = name;
    enter_ledger(entry);
}

void heap_define(struct sys_heap *heap, const void *by, const char *name)
{
    uint32_t key = tally_port_lock();
    struct tally_heap_entry *entry = find(heap);

    if (entry != NULL && entry->by == NULL) {
        entry->by = by;
        name_entry(entry, name);
    }
    tally_port_unlock(key);
}

void heap_leave(struct sys_heap *heap, const void *by)
{
    uint32_t key = tally_port_lock();
    struct tally_heap_entry *entry = find(heap);
    struct ledger_region *region;

    if (entry != NULL && entry->by == by) {
        region = entry->region;
        heap->entry = NULL;
        drop(entry);
        regions_leave(region);
    }
    tally_port_unlock(key);
}

void tally_heap_name_set(struct sys_heap *heap, const char *name)
{
    struct tally_heap_entry *entry;
    uint32_t key;

    (void)mem_profiling_decide();
    key = tally_port_lock();
    entry = find(heap);
    if (entry != NULL)
        name_entry(entry, name);
    tally_port_unlock(key);
}

const char *tally_heap_name(const struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    const struct tally_heap_entry *entry = find(heap);
    const char *name = entry == NULL ? NULL : entry->name;

    tally_port_unlock(key);
    return name;
}

int sys_heap_array_get(struct sys_heap ***array)
{
    static struct sys_heap *listed[TALLY_HEAP_ARRAY_SIZE];
    int count = 0;

    if (array == NULL)
        return INVALID;
    for (struct sys_heap *heap = tally_heap_next(NULL);
         heap != NULL && count < TALLY_HEAP_ARRAY_SIZE;
         heap = tally_heap_next(heap))
        listed[count++] = heap;
    *array = listed;
    return count;
}
