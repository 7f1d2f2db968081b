/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_registry.c - the list of all heaps
 *
 * A list through the heaps themselves, so that there may be any number. An init
 * walks it, for a heap that is initialised again must not be entered again.
 */
#include "core/heap_chunk.h"
#include "tally/port.h"

enum { INVALID = -22 };

static struct sys_heap *heaps;

void heap_registry_enter(struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    struct sys_heap **link = &heaps;

    while (*link != NULL && *link != heap)
        link = &(*link)->next;
    if (*link == NULL) {
        heap->next = NULL;
        *link = heap;
    }
    tally_port_unlock(key);
}

void tally_heap_forget(struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    struct sys_heap **link = &heaps;

    while (*link != NULL && *link != heap)
        link = &(*link)->next;
    if (*link != NULL)
        *link = heap->next;
    tally_port_unlock(key);
}

struct sys_heap *tally_heap_next(const struct sys_heap *heap)
{
    uint32_t key = tally_port_lock();
    struct sys_heap *next = heap == NULL ? heaps : heap->next;

    tally_port_unlock(key);
    return next;
}

int sys_heap_array_get(struct sys_heap ***array)
{
    static struct sys_heap *listed[TALLY_HEAP_ARRAY_SIZE];
    uint32_t key;
    int count = 0;

    if (array == NULL)
        return INVALID;
    key = tally_port_lock();
    for (struct sys_heap *heap = heaps;
         heap != NULL && count < TALLY_HEAP_ARRAY_SIZE; heap = heap->next)
        listed[count++] = heap;
    tally_port_unlock(key);
    *array = listed;
    return count;
}
