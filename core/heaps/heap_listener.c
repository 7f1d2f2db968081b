/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_listener.c - the list of listeners of all heaps
 *
 * Callbacks run under the port's lock, so that a listener is not called after
 * it was unregistered.
 */
#include "tally/heap_listener.h"

#include "core/heaps/heap_chunk.h"
#include "tally/port.h"

static struct heap_listener *listeners;

bool heap_has_listeners(void)
{
    return __atomic_load_n(&listeners, __ATOMIC_RELAXED) != NULL;
}

static struct heap_listener **find(const struct heap_listener *listener)
{
    struct heap_listener **link = &listeners;

    while (*link != NULL && *link != listener)
        link = &(*link)->next;
    return link;
}

void heap_listener_register(struct heap_listener *listener)
{
    uint32_t key = tally_port_lock();
    struct heap_listener **link = find(listener);

    if (*link == NULL) {
        listener->next = NULL;
        __atomic_store_n(link, listener, __ATOMIC_RELEASE);
    }
    tally_port_unlock(key);
}

void heap_listener_unregister(struct heap_listener *listener)
{
    uint32_t key = tally_port_lock();
    struct heap_listener **link = find(listener);

    if (*link != NULL)
        __atomic_store_n(link, listener->next, __ATOMIC_RELEASE);
    tally_port_unlock(key);
}

/* Call the listeners of a heap with a block, or with both ends of the heap. */
static void notify(uintptr_t heap_id, enum heap_event_types type, void *mem,
                   size_t bytes, void *end)
{
    uint32_t key = tally_port_lock();

    for (const struct heap_listener *each = listeners; each != NULL;
         each = each->next) {
        if (each->heap_id != heap_id || each->event != type)
            continue;
        if (type == HEAP_ALLOC)
            each->alloc_cb(heap_id, mem, bytes);
        else if (type == HEAP_FREE)
            each->free_cb(heap_id, mem, bytes);
        else
            each->resize_cb(heap_id, mem, end);
    }
    tally_port_unlock(key);
}

void heap_listener_notify_alloc(uintptr_t heap_id, void *mem, size_t bytes)
{
    notify(heap_id, HEAP_ALLOC, mem, bytes, NULL);
}

void heap_listener_notify_free(uintptr_t heap_id, void *mem, size_t bytes)
{
    notify(heap_id, HEAP_FREE, mem, bytes, NULL);
}

void heap_listener_notify_resize(uintptr_t heap_id, void *old_heap_end,
                                 void *new_heap_end)
{
    notify(heap_id, HEAP_RESIZE, old_heap_end, 0, new_heap_end);
}
