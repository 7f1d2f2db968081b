/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_registry.c - the list of all heaps
 *
 * It leads through entries of its own, so that there may be any number, and one
 * whose memory is gone hurts nobody who walks it; its entry is used again when
 * another heap is initialised in the same place. The first entries are here, for
 * firmware has few heaps and little memory.
 */
#include "core/heap_chunk.h"
#include "core/registry_memory.h"
#include "tally/port.h"

enum { INVALID = -22, FIRST_ENTRIES = 4 };

struct entry {
    struct entry *next;
    struct sys_heap *heap;
};

static struct entry *heaps;
static struct entry *spare; /* of heaps that were forgotten */

static bool overlap(const struct sys_heap *a, const struct sys_heap *b)
{
    uintptr_t distance = (uintptr_t)a - (uintptr_t)b;

    return distance + sizeof *a - 1 < 2 * sizeof *a - 1;
}

/* Where the entry hangs, or the end of the list. */
static struct entry **find(const struct sys_heap *heap)
{
    struct entry **link = &heaps;

    while (*link != NULL && (*link)->heap != heap)
        link = &(*link)->next;
    return link;
}

static struct entry *make_entry(void)
{
    static struct entry first[FIRST_ENTRIES];
    static unsigned used;
    struct entry *made = spare;

    if (made != NULL)
        spare = made->next;
    else if (used < FIRST_ENTRIES)
        made = &first[used++];
    else
        made = registry_memory_take(sizeof *made);
    return made;
}

static void drop(struct entry **link)
{
    struct entry *entry = *link;

    *link = entry->next;
    entry->next = spare;
    spare = entry;
}

/* Those that lay where `heap` lies now. */
static void drop_gone(const struct sys_heap *heap)
{
    struct entry **link = &heaps;

    while (*link != NULL) {
        if (overlap((*link)->heap, heap))
            drop(link);
        else
            link = &(*link)->next;
    }
}

void heap_registry_enter(struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    struct entry *entry;

    if (*find(heap) == NULL) {
        drop_gone(heap);
        entry = make_entry();
        if (entry != NULL) {
            entry->heap = heap;
            entry->next = NULL;
            *find(NULL) = entry;
        }
    }
    tally_port_unlock(key);
}

void tally_heap_forget(struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    struct entry **link = find(heap);

    if (*link != NULL)
        drop(link);
    tally_port_unlock(key);
}

struct sys_heap *tally_heap_next(const struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    const struct entry *entry = heap == NULL ? heaps : *find(heap);

    if (heap != NULL && entry != NULL)
        entry = entry->next;
    tally_port_unlock(key);
    return entry == NULL ? NULL : entry->heap;
}

int sys_heap_array_get(struct sys_heap ***array)
{
    static struct sys_heap *listed[TALLY_HEAP_ARRAY_SIZE];
    uint32_t key;
    int count = 0;

    if (array == NULL)
        return INVALID;
    key = tally_port_lock();
    for (const struct entry *entry = heaps;
         entry != NULL && count < TALLY_HEAP_ARRAY_SIZE; entry = entry->next)
        listed[count++] = entry->heap;
    tally_port_unlock(key);
    *array = listed;
    return count;
}
