/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_listener.c - one list of listeners for all heaps
 *
 * Callbacks run under the port's lock: a listener that was unregistered is not
 * called any more.
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

static const struct heap_listener *matching(const struct heap_listener *from,
                                            uintptr_t heap_id,
                                            enum heap_event_types event)
{
    while (from != NULL && (from->heap_id != heap_id || from->event != event))
        from = from->next;
    return from;
}

void heap_listener_notify_alloc(uintptr_t heap_id, void *mem, size_t bytes)
{
    uint32_t key = tally_port_lock();
    const struct heap_listener *listener =
        matching(listeners, heap_id, HEAP_ALLOC);

    for (; listener != NULL;
         listener = matching(listener->next, heap_id, HEAP_ALLOC))
        listener->alloc_cb(heap_id, mem, bytes);
    tally_port_unlock(key);
}

void heap_listener_notify_free(uintptr_t heap_id, void *mem, size_t bytes)
{
    uint32_t key = tally_port_lock();
    const struct heap_listener *listener =
        matching(listeners, heap_id, HEAP_FREE);

    for (; listener != NULL;
         listener = matching(listener->next, heap_id, HEAP_FREE))
        listener->free_cb(heap_id, mem, bytes);
    tally_port_unlock(key);
}

void heap_listener_notify_resize(uintptr_t heap_id, void *old_heap_end,
                                 void *new_heap_end)
{
    uint32_t key = tally_port_lock();
    const struct heap_listener *listener =
        matching(listeners, heap_id, HEAP_RESIZE);

    for (; listener != NULL;
         listener = matching(listener->next, heap_id, HEAP_RESIZE))
        listener->resize_cb(heap_id, old_heap_end, new_heap_end);
    tally_port_unlock(key);
}
